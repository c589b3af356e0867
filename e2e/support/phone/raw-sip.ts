import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { waitFor } from "@parley/testing";

export interface RawSipOptions {
  sipPort: number;
  number: string;
  from: string;
  /** Default: UDP. */
  transport?: "UDP" | "TCP";
}

export interface RawRequest {
  sequence?: number;
  body?: string;
  branch?: string;
  /** User part of the Request-URI, with its parameters. Default: the number. */
  user?: string;
  /** User part of From, with its parameters. */
  fromUser?: string;
  /** Further header lines. */
  headers?: readonly string[];
}

/** Carries whole messages. */
interface Line {
  port: number;
  send: (message: string) => void;
  close: () => void;
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
  readonly callId = crypto.randomUUID();
  readonly #options: RawSipOptions;
  #line: Line | undefined;
  #remoteTag = "";
  #isClosed = false;
  #nextBranch = 1;

  static async open(options: RawSipOptions): Promise<RawSip> {
    const raw = new RawSip(options);
    const open = options.transport === "TCP" ? openTcp : openUdp;
    raw.#line = await open(options.sipPort, (message) => raw.#receive(message));
    return raw;
  }

  private constructor(options: RawSipOptions) {
    this.#options = options;
  }

  /** The tag of the other side. */
  get remoteTag(): string {
    return this.#remoteTag;
  }

  /** Returns one request of the call, as text. */
  request(method: string, options: RawRequest = {}): string {
    const { sipPort, number, from, transport = "UDP" } = this.#options;
    const { sequence = 1, body = "", branch = this.newBranch(), user = number, fromUser = from } = options;
    const uri = `sip:${user}@127.0.0.1:${sipPort}`;
    const port = this.#line?.port;
    const isOutsideDialog = sequence === 1 && method !== "ACK";
    return [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/${transport} 127.0.0.1:${port};branch=${branch};rport`,
      "Max-Forwards: 70",
      `From: <sip:${fromUser}@127.0.0.1>;tag=raw`,
      `To: <${uri}>${isOutsideDialog || this.#remoteTag === "" ? "" : `;tag=${this.#remoteTag}`}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${sequence} ${method}`,
      `Contact: <sip:raw@127.0.0.1:${port}${transport === "TCP" ? ";transport=tcp" : ""}>`,
      ...(options.headers ?? []),
      ...(body === "" ? [] : ["Content-Type: application/sdp"]),
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n");
  }

  newBranch(): string {
    return `z9hG4bK-${this.callId}-${this.#nextBranch++}`;
  }

  send(message: string): void {
    this.#line?.send(message);
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
    this.#line?.close();
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

async function openUdp(sipPort: number, receive: (message: string) => void): Promise<Line> {
  const socket = createSocket("udp4", (datagram) => receive(datagram.toString()));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    send: (message) => socket.send(message, sipPort, "127.0.0.1"),
    close: () => socket.close(),
  };
}

async function openTcp(sipPort: number, receive: (message: string) => void): Promise<Line> {
  const socket = connect(sipPort, "127.0.0.1");
  await once(socket, "connect");
  let unread = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    unread += String(chunk);
    for (let head = unread.indexOf("\r\n\r\n"); head >= 0; head = unread.indexOf("\r\n\r\n")) {
      const length = Number(/^Content-Length: (\d+)/im.exec(unread)?.[1] ?? 0);
      const end = head + 4 + length;
      if (unread.length < end) return;
      receive(unread.slice(0, end));
      unread = unread.slice(end);
    }
  });
  return {
    port: socket.localPort ?? 0,
    send: (message) => void socket.write(message, "latin1"),
    close: () => void socket.destroy(),
  };
}
