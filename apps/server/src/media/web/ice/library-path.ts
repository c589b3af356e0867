import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { IceCredentials } from "./ice-agent.ts";
import { isStun, parseStun, type StunMessage, writeStun } from "./stun-message.ts";
import type { TransportAddress } from "./transport-address.ts";

/** The library's agent of a connection, as the first offer and answer named both sides of it. */
export interface LibraryAgent {
  /** Of its socket, on this machine. */
  port: number;
  local: IceCredentials;
  /** The browser's. */
  remote: IceCredentials;
}

interface LibraryPathListener {
  /** DTLS, SRTP or SRTCP for the browser. */
  onDatagram: (datagram: Buffer) => void;
  /** The library asks whether the browser is there: `answer` says so. */
  onCheck: (transactionId: Buffer) => void;
}

const LOOPBACK = "127.0.0.1";
/** Above any candidate's (RFC 8445 §5.1.2: at most 2^31-1), so that the library prefers this path to the browser's own. */
const PRIORITY = 2 ** 31 - 1;
const RETRANSMISSION_MS = 100;
const MOST_SENDINGS = 20;

/**
 * A path to the library's ICE agent, which takes it for one more path to its browser: a peer-reflexive candidate that is
 * nominated. Nothing but the library reaches its socket.
 */
export class LibraryPath {
  readonly #socket: Socket;
  readonly #agent: LibraryAgent;
  readonly #address: TransportAddress;
  readonly #tieBreaker = randomBytes(8).readBigUInt64BE();
  #nominationId: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  static async open(agent: LibraryAgent, listener: LibraryPathListener): Promise<LibraryPath> {
    const socket = createSocket("udp4");
    try {
      socket.bind(0, LOOPBACK);
      await once(socket, "listening");
      socket.connect(agent.port, LOOPBACK);
      await once(socket, "connect");
      return new LibraryPath(socket, agent, listener);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  private constructor(socket: Socket, agent: LibraryAgent, listener: LibraryPathListener) {
    this.#socket = socket;
    this.#agent = agent;
    this.#address = { address: LOOPBACK, port: agent.port };
    socket.on("message", (datagram) => {
      if (isStun(datagram)) this.#receive(datagram, listener);
      else listener.onDatagram(datagram);
    });
    // The library's socket is gone: so is the connection, which is told elsewhere.
    socket.on("error", () => {});
  }

  /** Has the library send by this path. Repeated until it has heard. */
  nominate(): void {
    clearInterval(this.#timer);
    const { local, remote } = this.#agent;
    const transactionId = randomBytes(12);
    this.#nominationId = transactionId;
    const request: StunMessage = {
      class: "request",
      transactionId,
      username: `${local.ufrag}:${remote.ufrag}`,
      priority: PRIORITY,
      controlling: this.#tieBreaker,
      useCandidate: true,
    };
    const datagram = writeStun(request, local.pwd);
    let sendCount = 0;
    const send = (): void => {
      if (sendCount === MOST_SENDINGS) return clearInterval(this.#timer);
      sendCount++;
      this.send(datagram);
    };
    this.#timer = setInterval(send, RETRANSMISSION_MS);
    send();
  }

  /** Answers a check of the library in the browser's place. */
  answer(transactionId: Buffer): void {
    const response: StunMessage = { class: "success", transactionId, mappedAddress: this.#address };
    this.send(writeStun(response, this.#agent.remote.pwd));
  }

  send(datagram: Uint8Array): void {
    if (!this.#isClosed) this.#socket.send(datagram);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#socket.close();
  }

  #receive(datagram: Buffer, { onCheck }: LibraryPathListener): void {
    const message = parseStun(datagram);
    if (message === undefined) return;
    const { local, remote } = this.#agent;
    const { transactionId } = message;
    if (message.class === "request" && message.isAuthentic(remote.pwd)) onCheck(transactionId);
    const isHeard = message.class === "success" && this.#nominationId?.equals(transactionId) === true;
    if (isHeard && message.isAuthentic(local.pwd)) clearInterval(this.#timer);
  }
}
