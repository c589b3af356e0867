import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { waitFor } from "@parley/testing";

export interface RawSipOptions {
  sipPort: number;
  number: string;
  from: string;
}

/** An SDP offer of one G.711 stream. Audio to the default port 9 is discarded. */
export function sdp({ port = 9, payloads = "0", direction = "sendrecv", version = 1 } = {}): string {
  const lines = ["v=0", `o=- 1 ${version} IN IP4 127.0.0.1`, "s=-", "c=IN IP4 127.0.0.1", "t=0 0"];
  return [...lines, `m=audio ${port} RTP/AVP ${payloads}`, `a=${direction}`, ""].join("\r\n");
}

/** A caller that sends raw SIP text, so that it can break rules. */
export class RawSip {
  /** Every received message. */
  readonly received: string[] = [];
  readonly #socket: Socket;
  readonly #options: RawSipOptions;
  readonly #callId = crypto.randomUUID();
  readonly #port: number;
  #remoteTag = "";
  #isClosed = false;
  #nextBranch = 1;

  static async open(options: RawSipOptions): Promise<RawSip> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new RawSip(socket, options);
  }

  private constructor(socket: Socket, options: RawSipOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#port = socket.address().port;
    socket.on("message", (datagram) => this.#receive(datagram.toString()));
  }

  /** Returns one request of the call, as text. */
  request(method: string, { sequence = 1, body = "", branch = this.newBranch() } = {}): string {
    const { sipPort, number, from } = this.#options;
    const uri = `sip:${number}@127.0.0.1:${sipPort}`;
    const isOutsideDialog = sequence === 1 && method !== "ACK";
    return [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${this.#port};branch=${branch};rport`,
      "Max-Forwards: 70",
      `From: <sip:${from}@127.0.0.1>;tag=raw`,
      `To: <${uri}>${isOutsideDialog || this.#remoteTag === "" ? "" : `;tag=${this.#remoteTag}`}`,
      `Call-ID: ${this.#callId}`,
      `CSeq: ${sequence} ${method}`,
      `Contact: <sip:raw@127.0.0.1:${this.#port}>`,
      ...(body === "" ? [] : ["Content-Type: application/sdp"]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n");
  }

  newBranch(): string {
    return `z9hG4bK-${this.#callId}-${this.#nextBranch++}`;
  }

  send(datagram: string): void {
    this.#socket.send(datagram, this.#options.sipPort, "127.0.0.1");
  }

  /** Returns the final response to the request with this CSeq number and method. */
  async response(method: string, sequence = 1): Promise<string> {
    const cseq = new RegExp(`^CSeq: ${sequence} ${method}\\r$`, "im");
    return await waitFor(`the response to ${method}`, () =>
      this.received.find((message) => /^SIP\/2\.0 [2-6]/.test(message) && cseq.test(message)),
    );
  }

  /** Returns the status of a response. */
  static statusOf(response: string): number {
    return Number(response.split(" ")[1]);
  }

  /** Closes the socket without ending dialogs. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #receive(message: string): void {
    this.received.push(message);
    this.#remoteTag = /^To: .*;tag=([^;\r]+)/im.exec(message)?.[1] ?? this.#remoteTag;
    if (message.startsWith("BYE ")) this.#acceptBye(message);
  }

  #acceptBye(bye: string): void {
    const copied = bye.split("\r\n").filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
    this.send(["SIP/2.0 200 OK", ...copied, "Content-Length: 0", "", ""].join("\r\n"));
  }
}
