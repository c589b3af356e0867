import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { IceCredentials } from "./ice-agent.ts";
import { isStun, parseStun, type StunMessage, writeStun } from "./stun-message.ts";
import type { TransportAddress } from "./transport-address.ts";

/** The library's ICE agent of a connection, with the credentials of the first offer and answer. */
export interface LibraryAgent {
  /** Port of its socket on this machine. */
  port: number;
  local: IceCredentials;
  /** The browser's credentials. */
  remote: IceCredentials;
}

interface LibraryPathListener {
  /** DTLS, SRTP or SRTCP for the browser. */
  onDatagram: (datagram: Buffer) => void;
  /** The library checks the path. Call `answer` if the browser is reachable. */
  onCheck: (transactionId: Buffer) => void;
}

const LOOPBACK = "127.0.0.1";
/** Maximum (RFC 8445 §5.1.2), so that the library prefers this path to the browser's own. */
const PRIORITY = 2 ** 31 - 1;
const RETRANSMISSION_MS = 100;
const MAX_TRANSMISSIONS = 20;

/**
 * A path to the library's ICE agent, to which it appears as a nominated peer-reflexive candidate of the browser. Its socket is
 * connected to the library's.
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
    // The library's socket has closed, and with it the connection, whose own event reports it.
    socket.on("error", () => {});
  }

  /** Nominates this path. Repeats the request until the library answers. */
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
      if (sendCount === MAX_TRANSMISSIONS) return clearInterval(this.#timer);
      sendCount++;
      this.send(datagram);
    };
    this.#timer = setInterval(send, RETRANSMISSION_MS);
    send();
  }

  /** Answers a check of the library on behalf of the browser. */
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
