import { once } from "node:events";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../clock.ts";
import { StreamFramer } from "./stream-framer.ts";
import type { Endpoint } from "./transport.ts";

/** A message that was written and of which nothing is known yet. */
export interface Unconfirmed {
  data: Buffer;
  onError: (error: Error) => void;
}

export interface StreamConnectionOptions {
  socket: Socket;
  clock: Clock;
  remote: Endpoint;
  /** Whether we opened it; who opens a connection keeps it alive (RFC 5626 §4.4.1). */
  isOutbound: boolean;
  /** The event after which it can be used. */
  readyEvent: "connect" | "secureConnect" | undefined;
  onMessage: (data: Buffer) => void;
  /** Called once, with what was written and got no sign of having arrived where it was not us who closed. */
  onClose: (reason: string, unconfirmed: readonly Unconfirmed[]) => void;
}

/** A server on the network answers within milliseconds; a packet filter that swallows everything never. */
const CONNECT_DEADLINE_MS = 4_000;
/** A message is not sent by hand. */
const MESSAGE_DEADLINE_MS = 15_000;
/** Who connects has something to say. */
const FIRST_MESSAGE_DEADLINE_MS = 30_000;
/** RFC 5626 §4.4.1: at random between 80 and 100 % of two minutes; the spread here comes from when connections begin. */
const PING_INTERVAL_MS = 105_000;
/** RFC 5626 §4.4.1 */
const PONG_DEADLINE_MS = 10_000;
/** For peers that answer no ping; longer than most registrations and session timers. */
const IDLE_MS = 3_900_000;
/** Beyond this the peer does not read. */
const MAX_QUEUED_BYTES = 1024 * 1024;
const MAX_UNCONFIRMED = 1_000;

/** The ordinary end of a connection. */
export const PEER_CLOSED = "closed by the peer";

const crlf = Buffer.from("\r\n");
const ping = Buffer.from("\r\n\r\n");

/** One TCP or TLS connection that carries SIP both ways (RFC 3261 §18, RFC 5626 §3.5.1). */
export class StreamConnection {
  readonly remote: Endpoint;
  readonly isOutbound: boolean;
  /** Whether it came about. */
  readonly opened: Promise<boolean>;
  readonly #options: StreamConnectionOptions;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #framer = new StreamFramer();
  #lastReceivedMs: number;
  #hasServed = false;
  #unconfirmed: Unconfirmed[] = [];
  #emptyLines = 0;
  #isPongAwaited = false;
  #hasPonged = false;
  /** Limits how long the peer may take: to accept, to say something, to finish a message, to answer a ping. */
  #deadline: Timer | undefined;
  #heartbeat: Timer | undefined;
  #closeReason: string | undefined;
  #isOpen: boolean;
  #isClosed = false;

  constructor(options: StreamConnectionOptions) {
    this.#options = options;
    this.remote = options.remote;
    this.isOutbound = options.isOutbound;
    this.#socket = options.socket;
    this.#clock = options.clock;
    this.#lastReceivedMs = options.clock.nowMs();
    const { socket, readyEvent } = options;
    socket.setNoDelay(true);
    // The kernel finds out about peers that vanished, after minutes.
    socket.setKeepAlive(true, 60_000);
    this.#isOpen = readyEvent === undefined;
    const { promise: opened, resolve } = Promise.withResolvers<boolean>();
    this.opened = opened;
    if (readyEvent === undefined) this.#await("said nothing", FIRST_MESSAGE_DEADLINE_MS);
    else {
      this.#await("did not accept in time", CONNECT_DEADLINE_MS);
      socket.once(readyEvent, () => {
        this.#deadline?.cancel();
        this.#isOpen = true;
        resolve(true);
      });
      socket.once("close", () => resolve(false));
    }
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => (this.#closeReason ??= error.message));
    socket.on("close", () => this.#onClosed());
    this.#beat();
  }

  get lastReceivedMs(): number {
    return this.#lastReceivedMs;
  }

  /** Whether the peer has ever said anything. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  /** Whether messages can pass. */
  get isOpen(): boolean {
    return this.#isOpen && !this.isClosed;
  }

  /** Ours, as the peer sees it where no NAT changes it; `undefined` once it is closed. */
  get localPort(): number | undefined {
    return this.#socket.localPort;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#socket.destroyed;
  }

  send(message: Unconfirmed): void {
    if (this.isClosed || !this.#socket.writable) {
      message.onError(new Error("connection closed"));
      return;
    }
    this.#unconfirmed.push(message);
    if (this.#unconfirmed.length > MAX_UNCONFIRMED) this.#unconfirmed.shift();
    this.#write(message.data);
  }

  #write(data: Buffer): void {
    if (!this.#socket.writable) return;
    this.#socket.write(data);
    if (this.#socket.writableLength > MAX_QUEUED_BYTES) this.close("the peer does not read");
  }

  /** Closes it once what was written has left; resolves when it is closed. */
  async finish(): Promise<void> {
    if (this.#isClosed) return;
    const closed = once(this.#socket, "close");
    this.#socket.destroySoon();
    await closed.catch(() => undefined);
  }

  /** Closes it at once, and tells the senders of what may not have arrived. Idempotent. */
  close(reason: string): void {
    this.#closeReason ??= reason;
    this.#socket.destroy();
    const unconfirmed = this.#unconfirmed;
    this.#unconfirmed = [];
    for (const { onError } of unconfirmed) onError(new Error(reason));
  }

  #receive(chunk: Buffer): void {
    this.#lastReceivedMs = this.#clock.nowMs();
    this.#hasServed = true;
    this.#unconfirmed = [];
    const wasMidMessage = this.#framer.isMidMessage;
    const { frames, failure } = this.#framer.push(chunk);
    for (const frame of frames) {
      if (frame.kind === "crlf") this.#receiveEmptyLine();
      else {
        this.#emptyLines = 0;
        this.#options.onMessage(frame.data);
      }
    }
    if (failure !== undefined) this.close(failure);
    else if (frames.length > 0 || !wasMidMessage) this.#awaitRestOfMessage();
  }

  #awaitRestOfMessage(): void {
    this.#deadline?.cancel();
    if (this.#framer.isMidMessage) this.#await("did not finish its message", MESSAGE_DEADLINE_MS);
    else if (this.#isPongAwaited && this.#hasPonged) this.#await("answered no ping", PONG_DEADLINE_MS);
  }

  /** RFC 5626 §3.5.1: two empty lines are a ping, which one answers; one is the answer to ours. */
  #receiveEmptyLine(): void {
    if (this.#isPongAwaited) {
      this.#isPongAwaited = false;
      this.#hasPonged = true;
      // It may have been the first half of a ping of the peer's own.
      this.#emptyLines = 1;
      return;
    }
    this.#emptyLines++;
    if (this.#emptyLines < 2) return;
    this.#emptyLines = 0;
    this.#write(crlf);
  }

  #beat(): void {
    this.#heartbeat = this.#clock.schedule(PING_INTERVAL_MS, () => {
      if (this.#clock.nowMs() - this.#lastReceivedMs > IDLE_MS) {
        this.close("nothing was received for long");
        return;
      }
      if (this.isOutbound) this.#ping();
      this.#beat();
    });
  }

  /** A peer that has never answered one may not know pings; one that has is gone when it answers no more. */
  #ping(): void {
    this.#write(ping);
    this.#isPongAwaited = true;
    if (this.#hasPonged && !this.#framer.isMidMessage) this.#await("answered no ping", PONG_DEADLINE_MS);
  }

  #await(reason: string, deadlineMs: number): void {
    this.#deadline?.cancel();
    this.#deadline = this.#clock.schedule(deadlineMs, () => this.close(reason));
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deadline?.cancel();
    this.#heartbeat?.cancel();
    const unconfirmed = this.#unconfirmed;
    this.#unconfirmed = [];
    this.#options.onClose(this.#closeReason ?? PEER_CLOSED, unconfirmed);
  }
}
