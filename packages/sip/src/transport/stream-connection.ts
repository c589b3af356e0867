import { once } from "node:events";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../clock.ts";
import { StreamFramer } from "./stream-framer.ts";
import type { Endpoint } from "./transport.ts";

/** A sent message that may not have arrived. */
export interface Unconfirmed {
  data: Buffer;
  onError: (error: Error) => void;
}

export interface StreamConnectionOptions {
  socket: Socket;
  clock: Clock;
  remote: Endpoint;
  /** True if we opened the connection; the opener keeps it alive (RFC 5626 §4.4.1). */
  isOutbound: boolean;
  /** The event after which the connection is usable. */
  readyEvent: "connect" | "secureConnect" | undefined;
  onMessage: (data: Buffer) => void;
  /** Called once. `unconfirmed` is empty if we closed the connection. */
  onClose: (reason: string, unconfirmed: readonly Unconfirmed[]) => void;
}

/** Servers answer within milliseconds; a firewall that drops packets never does. */
const CONNECT_TIMEOUT_MS = 4_000;
/** Limit for the rest of a message after its first bytes. */
const MESSAGE_TIMEOUT_MS = 15_000;
/** A peer that connects has a message to send. */
const FIRST_MESSAGE_TIMEOUT_MS = 30_000;
/** RFC 5626 §4.4.1 asks for 80 to 100 % of two minutes at random; here the random connection times spread the pings. */
const PING_INTERVAL_MS = 105_000;
/** RFC 5626 §4.4.1. */
const PONG_TIMEOUT_MS = 10_000;
/** For peers that do not answer pings; longer than most registrations and session timers. */
const IDLE_TIMEOUT_MS = 3_900_000;
/** Above this the peer is not reading. */
const MAX_QUEUED_BYTES = 1024 * 1024;
const MAX_UNCONFIRMED = 1_000;

/** The reason of a normal end of a connection. */
export const PEER_CLOSED = "closed by the peer";

const crlf = Buffer.from("\r\n");
const ping = Buffer.from("\r\n\r\n");

/** One TCP or TLS connection that carries SIP in both directions (RFC 3261 §18, RFC 5626 §3.5.1). */
export class StreamConnection {
  readonly remote: Endpoint;
  readonly isOutbound: boolean;
  /** Resolves with true when the connection is open, with false if it failed. */
  readonly opened: Promise<boolean>;
  readonly #options: StreamConnectionOptions;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #framer = new StreamFramer();
  #lastReceivedMs: number;
  #hasReceivedData = false;
  #unconfirmed: Unconfirmed[] = [];
  #emptyLines = 0;
  #isPongAwaited = false;
  #hasPonged = false;
  /** Limits the peer's time to accept, send a first message, finish a message or answer a ping. */
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
    // The kernel detects vanished peers after minutes.
    socket.setKeepAlive(true, 60_000);
    this.#isOpen = readyEvent === undefined;
    const { promise: opened, resolve } = Promise.withResolvers<boolean>();
    this.opened = opened;
    if (readyEvent === undefined) this.#await("no message received in time", FIRST_MESSAGE_TIMEOUT_MS);
    else {
      this.#await("connection timed out", CONNECT_TIMEOUT_MS);
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

  /** True if the peer has sent at least one message. */
  get hasReceivedData(): boolean {
    return this.#hasReceivedData;
  }

  /** True if messages can be sent. */
  get isOpen(): boolean {
    return this.#isOpen && !this.isClosed;
  }

  /** The local port, as the peer sees it without a NAT; `undefined` after closing. */
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

  /** Closes the connection after queued data is sent; resolves when it is closed. */
  async finish(): Promise<void> {
    if (this.#isClosed) return;
    const closed = once(this.#socket, "close");
    this.#socket.destroySoon();
    await closed.catch(() => undefined);
  }

  /** Closes the connection at once, and reports the error for messages that may not have arrived. Idempotent. */
  close(reason: string): void {
    this.#closeReason ??= reason;
    this.#socket.destroy();
    const unconfirmed = this.#unconfirmed;
    this.#unconfirmed = [];
    for (const { onError } of unconfirmed) onError(new Error(reason));
  }

  #receive(chunk: Buffer): void {
    this.#lastReceivedMs = this.#clock.nowMs();
    this.#hasReceivedData = true;
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
    if (this.#framer.isMidMessage) this.#await("message not completed in time", MESSAGE_TIMEOUT_MS);
    else if (this.#isPongAwaited && this.#hasPonged) this.#await("ping not answered", PONG_TIMEOUT_MS);
  }

  /** RFC 5626 §3.5.1: two empty lines are a ping, answered by one; a single one answers our ping. */
  #receiveEmptyLine(): void {
    if (this.#isPongAwaited) {
      this.#isPongAwaited = false;
      this.#hasPonged = true;
      // It may be the first half of the peer's own ping.
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
      if (this.#clock.nowMs() - this.#lastReceivedMs > IDLE_TIMEOUT_MS) {
        this.close("idle for too long");
        return;
      }
      if (this.isOutbound) this.#ping();
      this.#beat();
    });
  }

  /** A peer that never answered a ping may not support pings; one that did is gone when it stops answering. */
  #ping(): void {
    this.#write(ping);
    this.#isPongAwaited = true;
    if (this.#hasPonged && !this.#framer.isMidMessage) this.#await("ping not answered", PONG_TIMEOUT_MS);
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
