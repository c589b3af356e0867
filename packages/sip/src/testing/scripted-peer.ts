import assert from "node:assert/strict";
import type { SipMessage, SipRequest, SipResponse } from "../messages/message.ts";
import { parseMessage } from "../messages/parse.ts";
import type { SocketAddress, Transport } from "../transport/transport.ts";

export interface RequestScript {
  method: string;
  /** Default: the branch of the call. */
  branch?: string;
  sequence?: number;
  callId?: string;
  fromTag?: string;
  toTag?: string;
  requestUri?: string;
  headers?: readonly string[];
  body?: string;
}

const emptyLines = Buffer.from("\r\n\r\n");

/** A peer controlled by a test message by message; it records every received message. */
export class ScriptedPeer {
  readonly received: SipMessage[] = [];
  /** Number of received empty lines, which keep a NAT binding open. */
  keepAlives = 0;
  readonly address: SocketAddress;
  readonly #transport: Transport;
  readonly #destination: SocketAddress;

  constructor(transport: Transport, destination: SocketAddress) {
    this.#transport = transport;
    this.#destination = destination;
    this.address = transport.localAddress;
    transport.start((data) => {
      if (data.equals(emptyLines)) {
        this.keepAlives++;
        return;
      }
      const parsed = parseMessage(data);
      assert.ok(parsed.ok, "the user agent sent a malformed message");
      this.received.push(parsed.message);
    });
  }

  send(text: string): void {
    this.#transport.send(Buffer.from(text), this.#destination);
  }

  /** Sends a request with valid header fields. */
  request(script: RequestScript): void {
    const {
      method,
      branch = "z9hG4bKone",
      sequence = 1,
      callId = "call-1",
      fromTag = "peer",
      toTag,
    } = script;
    const { requestUri = "sip:agent@10.0.0.1", headers = [], body = "" } = script;
    const { address, port } = this.address;
    this.send(
      [
        `${method} ${requestUri} SIP/2.0`,
        `Via: SIP/2.0/UDP ${address}:${port};branch=${branch};rport`,
        `From: <sip:peer@${address}>;tag=${fromTag}`,
        `To: <sip:agent@10.0.0.1>${toTag === undefined ? "" : `;tag=${toTag}`}`,
        `Call-ID: ${callId}`,
        `CSeq: ${sequence} ${method}`,
        `Contact: <sip:peer@${address}:${port}>`,
        "Max-Forwards: 70",
        ...headers,
        ...(body === "" ? [] : ["Content-Type: application/sdp"]),
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        body,
      ].join("\r\n"),
    );
  }

  /** Answers a received request. */
  respond(
    request: SipRequest,
    status: number,
    toTag?: string,
    headers: readonly string[] = [],
    body = "",
  ): void {
    const to = request.headers.get("to") ?? "";
    const { address, port } = this.address;
    this.send(
      [
        `SIP/2.0 ${status} Scripted`,
        ...request.headers.getAll("via").map((via) => `Via: ${via}`),
        `From: ${request.headers.get("from")}`,
        `To: ${toTag === undefined || /;tag=/.test(to) ? to : `${to};tag=${toTag}`}`,
        `Call-ID: ${request.callId}`,
        `CSeq: ${request.headers.get("cseq")}`,
        ...(headers.some((line) => line.startsWith("Contact:"))
          ? []
          : [`Contact: <sip:peer@${address}:${port}>`]),
        ...headers,
        ...(body === "" ? [] : ["Content-Type: application/sdp"]),
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        body,
      ].join("\r\n"),
    );
  }

  requests(method: string): SipRequest[] {
    return this.received
      .filter((message) => message.kind === "request")
      .filter((each) => each.method === method);
  }

  /** The responses to requests with this method. */
  responses(method: string): SipResponse[] {
    return this.received
      .filter((message) => message.kind === "response")
      .filter((each) => each.cseq.method === method);
  }

  statuses(method: string): number[] {
    return this.responses(method).map(({ status }) => status);
  }

  /** The last request with this method. */
  last(method: string): SipRequest {
    const found = this.requests(method).at(-1);
    assert.ok(found !== undefined, `no ${method} arrived`);
    return found;
  }

  /** The user agent's tag in its last response to this method. */
  tagFrom(method: string): string {
    const tag = this.responses(method).at(-1)?.to.parameters.get("tag");
    assert.ok(tag !== undefined, `no tag in a response to ${method}`);
    return tag;
  }
}
