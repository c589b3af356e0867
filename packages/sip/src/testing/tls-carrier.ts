import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../clock.ts";
import type { SipMessage, SipRequest, SipResponse } from "../messages/message.ts";
import { addressesOf } from "../messages/message.ts";
import { parseMessage } from "../messages/parse.ts";
import { StreamTransport } from "../transport/stream-transport.ts";
import type { TlsOptions } from "../transport/tls-identity.ts";
import type { Hop } from "../transport/transport.ts";

interface Arrived<Message extends SipMessage = SipMessage> {
  message: Message;
  /** Includes the ID of its connection. */
  source: Hop;
}

/**
 * A carrier reached over TLS that opens no connections: it accepts every registration, answers every request, and
 * calls over the connection of a registration. Its Contact has no transport parameter, like those of careless
 * carriers.
 */
export class TlsCarrier {
  readonly arrived: Arrived[] = [];
  /** Registered Contact URIs. */
  readonly bindings = new Set<string>();
  readonly #transport: StreamTransport;

  static async listen(tls: TlsOptions, port = 0): Promise<TlsCarrier> {
    const bind = { address: "127.0.0.1", port };
    return new TlsCarrier(await StreamTransport.listen({ bind, clock: systemClock, tls }));
  }

  private constructor(transport: StreamTransport) {
    this.#transport = transport;
    transport.start((data, source) => {
      const parsed = parseMessage(data);
      if (!parsed.ok) throw new Error(parsed.reason);
      this.arrived.push({ message: parsed.message, source });
      if (parsed.message.kind === "request") this.#answer(parsed.message, source);
    });
  }

  get port(): number {
    return this.#transport.localAddress.port;
  }

  #answer(request: SipRequest, source: Hop): void {
    if (request.method === "ACK") return;
    if (request.method === "REGISTER") this.#bind(request);
    const contacts =
      request.method === "REGISTER"
        ? [...this.bindings].map((uri) => `Contact: <${uri}>;expires=300`)
        : [this.#contact];
    const body = request.method === "INVITE" ? "answer" : "";
    const copied = (["via", "from", "call-id", "cseq"] as const).map(
      (name) => `${name}: ${request.headers.get(name)}`,
    );
    const to = request.headers.get("to") ?? "";
    this.#send(source, [
      "SIP/2.0 200 OK",
      ...copied,
      `To: ${to}${to.includes(";tag=") ? "" : ";tag=carrier"}`,
      ...contacts,
      ...(body === "" ? [] : ["Content-Type: application/sdp"]),
      `Content-Length: ${body.length}`,
      "",
      body,
    ]);
  }

  #bind({ headers }: SipRequest): void {
    for (const { uri, parameters } of addressesOf(headers, "contact") ?? []) {
      if ((parameters.get("expires") ?? headers.get("expires")) === "0") this.bindings.delete(uri);
      else this.bindings.add(uri);
    }
  }

  get #contact(): string {
    return `Contact: <sip:carrier@127.0.0.1:${this.port}>`;
  }

  /** Sends a request over a connection that a peer has opened. */
  request(
    method: string,
    to: Hop,
    { uri, callId, dialog = [] }: { uri: string; callId: string; dialog?: readonly string[] },
  ): void {
    const sequence = { INVITE: 1, ACK: 1 }[method] ?? 2;
    this.#send(to, [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/TLS 127.0.0.1:${this.port};branch=z9hG4bK${callId}${method}`,
      ...(dialog.length > 0 ? dialog : ["From: <sip:caller@127.0.0.1>;tag=caller", `To: <${uri}>`]),
      `Call-ID: ${callId}`,
      `CSeq: ${sequence} ${method}`,
      this.#contact,
      "Max-Forwards: 70",
      "Content-Length: 0",
      "",
      "",
    ]);
  }

  #send(to: Hop, lines: readonly string[]): void {
    this.#transport.send(Buffer.from(lines.join("\r\n")), to);
  }

  /** The newest request with this method, after `count` of them have arrived. */
  async awaitRequest(method: string, count = 1): Promise<Arrived<SipRequest>> {
    return await this.#await((message) => message.kind === "request" && message.method === method, count);
  }

  /** The newest final response to this method, after `count` of them have arrived. */
  async awaitFinal(method: string, count = 1): Promise<Arrived<SipResponse>> {
    return await this.#await(
      (message) => message.kind === "response" && message.cseq.method === method && message.status >= 200,
      count,
    );
  }

  async #await<Message extends SipMessage>(
    isWanted: (message: SipMessage) => boolean,
    count: number,
  ): Promise<Arrived<Message>> {
    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 10) {
      const found = this.arrived.filter((each): each is Arrived<Message> => isWanted(each.message));
      const last = found.at(-1);
      if (found.length >= count && last !== undefined) return last;
      await sleep(10);
    }
    throw new Error("the carrier did not receive the expected message in time");
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
