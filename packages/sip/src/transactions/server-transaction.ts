import type { OutgoingResponse, SipRequest } from "../messages/message.ts";
import { serializeMessage } from "../messages/message.ts";
import { createResponse, type ResponseContent } from "../messages/response.ts";
import type { Hop } from "../transport/transport.ts";
import { newTag } from "./identifiers.ts";
import type { InviteServerTransaction } from "./invite-server.ts";
import type { NonInviteServerTransaction } from "./non-invite-server.ts";

/** A request that was received, and the way to answer it. */
export class ServerTransaction {
  readonly request: SipRequest;
  /** Where the request came from. */
  readonly source: Hop;
  /** The tag of every response to it (RFC 3261 §8.2.6.2): that of the request's To, or one made here. */
  localTag: string;
  /** A CANCEL for this INVITE, which has no final response yet (§9.2). */
  onCancel: () => void = () => undefined;
  /** An ACK for a 2xx that matched this transaction rather than its dialog. */
  onAck: (ack: SipRequest) => void = () => undefined;
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
    this.localTag = request.to.parameters.get("tag") ?? newTag();
    this.#serverName = serverName;
    this.#machine = machine;
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

  /** The same request arrived again, or the ACK of its failure. */
  receive(request: SipRequest): void {
    this.#machine.receive(request);
  }

  /** Forgets the transaction without a word to the peer. Idempotent. */
  terminate(): void {
    this.#machine.terminate();
  }
}
