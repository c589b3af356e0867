import type { Timer } from "../clock.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { NameAddress } from "../grammar/name-address.ts";
import { parseUri } from "../grammar/uri.ts";
import type { HeaderFields, HeaderList } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import type { Hop } from "../transport/transport.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "./core.ts";
import { allowedMethods, refuseMethod, sdpOf } from "./request-rules.ts";
import { DialogSession, type Session } from "./session.ts";

/** Why an incoming call went away before it was established. */
export type InviteEnd = "cancelled" | "hung_up" | "expired" | "rejected" | "no_ack" | "closed";

export type AcceptResult = { ok: true; session: Session } | { ok: false; reason: InviteEnd };

/** RFC 3261 §13.3.1.1: how often a provisional response is repeated so that no proxy gives the call up. */
const PROVISIONAL_INTERVAL_MS = 60_000;

/** The longest that an INVITE waits for the application. */
const MAX_PENDING_MS = 180_000;

/** A call that came in and waits to be answered (RFC 3261 §13.3). A 100 has been sent. */
export class IncomingInvite implements DialogOwner, OpenCall {
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly requestUri: string;
  readonly method = "INVITE";
  readonly headers: HeaderList;
  readonly callId: string;
  /** Where the INVITE came from. */
  readonly source: Hop;
  /** The session description offered; empty where the caller leaves the offer to us. */
  readonly body: string;
  readonly #core: UserAgentCore;
  readonly #transaction: ServerTransaction;
  readonly #dialog: Dialog;
  readonly #contact: string;
  readonly #controller = new AbortController();
  readonly #expiry: Timer;
  #repeatProvisional: Timer | undefined;
  #end: InviteEnd | undefined;
  #accepting: Promise<AcceptResult> | undefined;

  constructor(core: UserAgentCore, transaction: ServerTransaction, dialog: Dialog) {
    const { request, source } = transaction;
    this.from = request.from;
    this.to = request.to;
    this.requestUri = request.requestUri;
    this.headers = request.headers;
    this.callId = request.callId;
    this.source = source;
    this.body = sdpOf(request);
    this.#core = core;
    this.#transaction = transaction;
    this.#dialog = dialog;
    const uri = parseUri(request.requestUri);
    this.#contact = core.contactFor(uri?.scheme === "tel" ? uri.number : uri?.user, source);
    transaction.onCancel = () => this.#finish("cancelled", 487);
    this.#expiry = this.#armExpiry(request);
    core.dialogs.set(dialog.key, this);
    core.openCalls.add(this);
  }

  /** §13.3.1: an invitation that expires is answered 487; one that the application forgets, 480. */
  #armExpiry(request: SipRequest): Timer {
    const expires = request.headers.get("expires");
    const expiresMs = expires !== undefined && /^\d{1,9}$/.test(expires) ? Number(expires) * 1000 : Infinity;
    const isCallersLimit = expiresMs < MAX_PENDING_MS;
    return this.#core.clock.schedule(Math.min(expiresMs, MAX_PENDING_MS), () =>
      this.#finish("expired", isCallersLimit ? 487 : 480),
    );
  }

  /** Aborts when the call goes away before it is answered; its reason is an {@link InviteEnd}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sends a provisional response, with `sdp` as early media. Nothing happens once the call is answered or gone. */
  ring(status: 180 | 181 | 182 | 183 = 180, { sdp = "" }: { sdp?: string } = {}): void {
    if (!this.#isPending) return;
    this.#transaction.respond(status, { headers: this.#dialogHeaders(), body: sdp });
    this.#repeatProvisional?.cancel();
    this.#repeatProvisional = this.#core.clock.schedule(PROVISIONAL_INTERVAL_MS, () =>
      this.ring(status, { sdp }),
    );
  }

  /**
   * Answers the call with 200. Resolves when the caller's ACK has come; `sdp` is our answer, or our offer where
   * {@link body} is empty, and then {@link Session.remoteSdp} is the answer from the ACK. Never rejects.
   */
  accept({ sdp, headers = {} }: { sdp: string; headers?: HeaderFields }): Promise<AcceptResult> {
    if (this.#end !== undefined) return Promise.resolve({ ok: false, reason: this.#end });
    this.#accepting ??= this.#answer(sdp, headers);
    return this.#accepting;
  }

  async #answer(sdp: string, headers: HeaderFields): Promise<AcceptResult> {
    this.#release();
    const session = new DialogSession(this.#core, this.#dialog, {
      localSdp: sdp,
      remoteSdp: this.body,
      contact: this.#contact,
      peer: this.source,
      credentials: undefined,
    });
    const allHeaders = { ...headers, ...this.#dialogHeaders() };
    await session.answer(this.#transaction, sdp, allHeaders, this.body === "");
    if (!session.isEnded) return { ok: true, session };
    const { cause } = await session.ended;
    return {
      ok: false,
      reason: cause === "no_ack" ? "no_ack" : cause === "remote_bye" ? "hung_up" : "closed",
    };
  }

  /** Refuses the call (status 300 to 699). Nothing happens once it is answered or gone. */
  reject(status: number, reason?: string, headers: HeaderFields = {}): void {
    if (!this.#isPending) return;
    this.#finish("rejected", status, reason, headers);
  }

  get #isPending(): boolean {
    return this.#end === undefined && this.#accepting === undefined;
  }

  /** §12.1.1: what a response that makes a dialog has to carry. */
  #dialogHeaders(): HeaderFields {
    return { "record-route": this.headers.getAll("record-route"), Contact: this.#contact };
  }

  #finish(end: InviteEnd, status: number, reason?: string, headers: HeaderFields = {}): void {
    if (!this.#isPending) return;
    this.#end = end;
    this.#transaction.respond(status, reason === undefined ? { headers } : { reason, headers });
    this.#core.dialogs.delete(this.#dialog.key);
    this.#release();
    if (end !== "rejected") this.#controller.abort(end);
  }

  #release(): void {
    this.#expiry.cancel();
    this.#repeatProvisional?.cancel();
    this.#core.openCalls.delete(this);
  }

  /** §15: the caller may end an early dialog by BYE. */
  onRequest(transaction: ServerTransaction): void {
    const { method, cseq } = transaction.request;
    if (!this.#dialog.acceptSequence(cseq.sequence) || method === "INVITE") {
      // §14.2: an INVITE while an earlier one has no final response.
      transaction.respond(500, { headers: { "Retry-After": "1" } });
    } else if (method === "BYE") {
      transaction.respond(200);
      this.#finish("hung_up", 487);
    } else if (method === "OPTIONS") {
      transaction.respond(200, { headers: { Allow: allowedMethods } });
    } else {
      const { status, content } = refuseMethod(method);
      transaction.respond(status, content);
    }
  }

  /** No ACK is due before a final response. */
  onAck(): void {}

  close(): Promise<void> {
    this.#finish("closed", 503);
    return Promise.resolve();
  }

  abandon(): void {
    this.#release();
  }
}
