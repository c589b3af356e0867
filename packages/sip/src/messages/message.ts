import type { CSeq } from "../grammar/cseq.ts";
import { type NameAddress, parseNameAddressList } from "../grammar/name-address.ts";
import type { Via } from "../grammar/via.ts";
import { type HeaderList, singleLine } from "./header-list.ts";

/** A request to send. */
export interface OutgoingRequest {
  method: string;
  requestUri: string;
  headers: HeaderList;
  body: string;
}

/** A response to send. */
export interface OutgoingResponse {
  status: number;
  reason: string;
  headers: HeaderList;
  body: string;
}

/** The parsed parts of every received message. */
interface Received {
  headers: HeaderList;
  body: Buffer;
  topVia: Via;
  from: NameAddress;
  to: NameAddress;
  callId: string;
  cseq: CSeq;
}

export interface SipRequest extends Received {
  kind: "request";
  method: string;
  /** As written; {@link parseUri} parses it. */
  requestUri: string;
}

export interface SipResponse extends Received {
  kind: "response";
  status: number;
  reason: string;
}

export type SipMessage = SipRequest | SipResponse;

/** Serializes a message; Content-Length is always the length of the body (RFC 3261 §20.14). */
export function serializeMessage(message: OutgoingRequest | OutgoingResponse): Buffer {
  const startLine =
    "method" in message
      ? `${message.method} ${singleLine(message.requestUri)} SIP/2.0`
      : `SIP/2.0 ${message.status} ${singleLine(message.reason)}`;
  const length = Buffer.byteLength(message.body);
  return Buffer.from(
    `${startLine}\r\n${message.headers.format()}Content-Length: ${length}\r\n\r\n${message.body}`,
  );
}

/** Every value of an address header (Contact, Route, Record-Route); `undefined` if one is malformed. */
export function addressesOf(headers: HeaderList, name: string): NameAddress[] | undefined {
  const addresses: NameAddress[] = [];
  for (const line of headers.getAll(name)) {
    if (!parseNameAddressList(line, addresses)) return undefined;
  }
  return addresses;
}
