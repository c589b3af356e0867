import type { OutgoingResponse, SipRequest } from "../messages/message.ts";
import { serializeMessage } from "../messages/message.ts";
import { createResponse, type ResponseContent } from "../messages/response.ts";
import type { Hop } from "../transport/transport.ts";
import { newTag } from "./identifiers.ts";
import { InviteServerTransaction } from "./invite-server.ts";
import type { NonInviteServerTransaction } from "./non-invite-server.ts";

/** A request that was received, and the way to answer it; what remains after that is its state machine. */
export class ServerTransaction {
  readonly request: SipRequest;
  /** Where the request came from. */
  readonly source: Hop;
  /** The tag of every response to it (RFC 3261 §8.2.6.2). */
  localTag: string;
  readonly #machine: InviteServerTransaction | NonInviteServerTransaction;
  readonly #serverName: string | undefined;

  constructor(
    request: SipRequest,
    source: Hop,
    serverName: string | undefined,
    machine: InviteServerTransaction | NonInviteServerTransaction,
  ) {
    this.request = request;
    this.source = source;
    this.localTag = machine instanceof InviteServerTransaction ? machine.localTag : localTagOf(request);
    this.#serverName = serverName;
    this.#machine = machine;
  }

  /** Hears of a CANCEL for this INVITE that comes before a final response (§9.2). */
  set onCancel(handler: () => void) {
    if (this.#machine instanceof InviteServerTransaction) this.#machine.onCancel = handler;
  }

  /** Hears of an ACK for a 2xx that matches this transaction rather than its dialog. */
  set onAck(handler: ((ack: SipRequest) => void) | undefined) {
    if (this.#machine instanceof InviteServerTransaction) this.#machine.onAck = handler;
  }

  /** Whether no final response has been sent. */
  get isWaitingForFinal(): boolean {
    return this.#machine.isWaitingForFinal;
  }

  /** Answers the request. After a final response nothing more is sent. */
  respond(status: number, content: ResponseContent = {}): OutgoingResponse {
    const response = createResponse(this.request.headers, status, this.localTag, content);
    if (this.#serverName !== undefined && status !== 100) response.headers.set("server", this.#serverName);
    this.#machine.respond(status, serializeMessage(response));
    return response;
  }

  /** Sends a 2xx once more (RFC 6026 §7.1). */
  repeat(response: OutgoingResponse): void {
    this.#machine.respond(response.status, serializeMessage(response));
  }
}

/** That of the request's To, or one made here. */
export function localTagOf(request: SipRequest): string {
  return request.to.parameters.get("tag") ?? newTag();
}
