import type { OutgoingResponse, SipRequest } from "../messages/message.ts";
import { serializeMessage } from "../messages/message.ts";
import { createResponse, type ResponseContent } from "../messages/response.ts";
import type { Hop } from "../transport/transport.ts";
import { newTag } from "./identifiers.ts";
import { InviteServerTransaction } from "./invite-server.ts";
import type { NonInviteServerTransaction } from "./non-invite-server.ts";

/** A received request and the means to answer it. After it is dropped, its state machine remains. */
export class ServerTransaction {
  readonly request: SipRequest;
  /** The sender of the request. */
  readonly source: Hop;
  /** The To tag of every response (RFC 3261 §8.2.6.2). */
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

  /** Called for a CANCEL of this INVITE before a final response (§9.2). */
  set onCancel(handler: () => void) {
    if (this.#machine instanceof InviteServerTransaction) this.#machine.onCancel = handler;
  }

  /** Called for the ACK of a 2xx that matches this transaction instead of its dialog. */
  set onAck(handler: ((ack: SipRequest) => void) | undefined) {
    if (this.#machine instanceof InviteServerTransaction) this.#machine.onAck = handler;
  }

  /** True until a final response is sent. */
  get isWaitingForFinal(): boolean {
    return this.#machine.isWaitingForFinal;
  }

  /** Answers the request. Nothing is sent after a final response. */
  respond(status: number, content: ResponseContent = {}): OutgoingResponse {
    const response = createResponse(this.request.headers, status, this.localTag, content);
    if (this.#serverName !== undefined && status !== 100) response.headers.set("server", this.#serverName);
    this.#machine.respond(status, serializeMessage(response));
    return response;
  }

  /** Sends a 2xx again (RFC 6026 §7.1). */
  repeat(response: OutgoingResponse): void {
    this.#machine.respond(response.status, serializeMessage(response));
  }
}

/** The To tag of the request, or a new one. */
export function localTagOf(request: SipRequest): string {
  return request.to.parameters.get("tag") ?? newTag();
}
