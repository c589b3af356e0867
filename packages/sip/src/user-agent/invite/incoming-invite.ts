import type { Timer } from "../../clock.ts";
import type { Dialog } from "../../dialogs/dialog.ts";
import type { NameAddress } from "../../grammar/name-address.ts";
import { isSips, parseUri } from "../../grammar/uri.ts";
import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import { addressesOf, type SipRequest } from "../../messages/message.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import type { Hop } from "../../transport/transport.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "../core.ts";
import { DialogSession } from "../session/dialog-session.ts";
import { ReliableProvisionals } from "./reliable-provisionals.ts";
import { capabilities, sdpOf } from "../request-rules.ts";
import { supports } from "../session/session-expires.ts";
import type { Session } from "../session/session.ts";

/** Why an incoming call ended before it was established. */
export type InviteEnd = "canceled" | "hung_up" | "expired" | "rejected" | "no_ack" | "closed";

export type AcceptResult = { ok: true; session: Session } | { ok: false; reason: InviteEnd };

/** RFC 3261 §13.3.1.1: interval of repeated provisional responses, so that no proxy times the call out. */
const PROVISIONAL_INTERVAL_MS = 60_000;

/** The longest time that an INVITE waits for the application. */
const DECISION_TIMEOUT_MS = 180_000;

/**
 * `pending`: the application decides. `accepting`: accepted, but a reliable response still waits for its PRACK.
 * `answered`: the 2xx is sent. `gone`: rejected, or abandoned by the caller.
 */
type State = "pending" | "accepting" | "answered" | "gone";

/** RFC 3261 §12.1.1: true if our Contact must be a `sips:` URI. */
function isSipsRequest(request: SipRequest): boolean {
  const field = request.headers.has("record-route") ? "record-route" : "contact";
  const [next] = addressesOf(request.headers, field) ?? [];
  return isSips(request.requestUri) || (next !== undefined && isSips(next.uri));
}

/** An incoming call that waits for an answer (RFC 3261 §13.3). A 100 has been sent. */
export class IncomingInvite implements OpenCall {
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly requestUri: string;
  readonly method = "INVITE";
  readonly headers: HeaderList;
  readonly callId: string;
  /** The sender of the INVITE. */
  readonly source: Hop;
  /** The offered session description; empty if the caller requests our offer. */
  readonly body: string;
  /**
   * The session that this call replaces (RFC 3891): an attended transfer or a pick-up. It ends when this call is
   * accepted; the application decides whether the caller may do so.
   */
  readonly replaces: Session | undefined;
  readonly #core: UserAgentCore;
  readonly #transaction: ServerTransaction;
  readonly #contactFor: (peer: Hop) => string;
  readonly #session: DialogSession;
  readonly #replaced: DialogOwner | undefined;
  readonly #provisionals: ReliableProvisionals;
  readonly #controller = new AbortController();
  readonly #expiry: Timer;
  #repeatProvisional: Timer | undefined;
  #state: State = "pending";
  #end: InviteEnd | undefined;
  #accepting: Promise<AcceptResult> | undefined;

  constructor(core: UserAgentCore, transaction: ServerTransaction, dialog: Dialog, replaced?: DialogOwner) {
    const { request, source } = transaction;
    this.from = request.from;
    this.to = request.to;
    this.requestUri = request.requestUri;
    this.headers = request.headers;
    this.callId = request.callId;
    this.source = source;
    this.body = sdpOf(request);
    this.replaces = replaced?.session;
    this.#core = core;
    this.#transaction = transaction;
    this.#replaced = replaced;
    const uri = parseUri(request.requestUri);
    const user = uri?.scheme === "tel" ? uri.number : uri?.user;
    const isSecure = isSipsRequest(request);
    this.#contactFor = (peer) => core.contactFor(user, peer, isSecure && peer.protocol === "TLS");
    const options = { contactFor: this.#contactFor, peer: source, digest: undefined, isCaller: false };
    this.#session = new DialogSession(core, dialog, options, {
      onPrack: (prack) => this.#receivePrack(prack),
      onBye: (bye) => this.#receiveBye(bye),
      onReplaced: () => undefined,
    });
    this.#session.setAllowedMethods(request.headers);
    if (this.body !== "") this.#session.media.receiveOffer(this.body);
    // RFC 3262 §3: a call without PRACK for a reliable response cannot be established.
    this.#provisionals = new ReliableProvisionals(core.clock, transaction, () => this.#finish("no_ack", 504));
    transaction.onCancel = () => this.#finish("canceled", 487);
    this.#expiry = this.#armExpiry(request);
    core.openCalls.add(this);
  }

  /** §13.3.1: an expired INVITE is answered 487; one without an application decision, 480. */
  #armExpiry(request: SipRequest): Timer {
    const expires = request.headers.get("expires");
    const expiresMs = expires !== undefined && /^\d{1,9}$/.test(expires) ? Number(expires) * 1000 : Infinity;
    const isCallersLimit = expiresMs < DECISION_TIMEOUT_MS;
    return this.#core.clock.schedule(Math.min(expiresMs, DECISION_TIMEOUT_MS), () =>
      this.#finish("expired", isCallersLimit ? 487 : 480),
    );
  }

  /** Aborts if the call ends before it is answered; the reason is an {@link InviteEnd}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * The session, which {@link accept} establishes. Set its handlers before that: the caller's next request may
   * arrive together with its ACK.
   */
  get session(): Session {
    return this.#session;
  }

  /**
   * Sends a provisional response with `sdp` as early media. It is reliable (RFC 3262) if the caller requires
   * that, or if the caller supports it and there is a description, which is then our final answer. If the caller
   * requests our offer, only a reliable response can contain it; other responses omit `sdp`. Does nothing after
   * the call is answered or gone.
   */
  ring(status: 180 | 181 | 182 | 183 = 180, { sdp = "" }: { sdp?: string } = {}): void {
    if (this.#state !== "pending") return;
    const isRequired = this.headers.getList("require").some((tag) => tag.toLowerCase() === "100rel");
    const isReliable = isRequired || (sdp !== "" && supports(this.headers, "100rel"));
    const headers = this.#dialogHeaders();
    if (isReliable) this.#provisionals.send(status, { headers, body: this.#earlyDescription(sdp) });
    else this.#transaction.respond(status, { headers, body: this.body === "" ? "" : sdp });
    this.#repeatProvisional?.cancel();
    this.#repeatProvisional = this.#core.clock.schedule(PROVISIONAL_INTERVAL_MS, () =>
      this.ring(status, isReliable ? {} : { sdp }),
    );
  }

  /** RFC 3262 §5: the first description in a reliable response is the answer, or the offer if the INVITE has none. */
  #earlyDescription(sdp: string): string {
    const { media } = this.#session;
    if (sdp === "" || media.state === "stable" || media.state === "offer_sent") return "";
    const described = this.#session.describe(sdp);
    return media.state === "offer_received" ? media.sendAnswer(described) : media.sendOffer(described);
  }

  /**
   * Answers the call with 200. Resolves when the caller's ACK has arrived. `sdp` is our answer, or our offer if
   * {@link body} is empty; {@link Session.remoteSdp} is then the answer from the ACK. `sdp` is ignored if {@link
   * ring} has already agreed on a description. Never rejects.
   */
  accept({ sdp, headers = {} }: { sdp: string; headers?: HeaderFields }): Promise<AcceptResult> {
    if (this.#end !== undefined) return Promise.resolve({ ok: false, reason: this.#end });
    this.#accepting ??= this.#answer(sdp, headers);
    return this.#accepting;
  }

  async #answer(sdp: string, headers: HeaderFields): Promise<AcceptResult> {
    this.#state = "accepting";
    this.#repeatProvisional?.cancel();
    if (this.#provisionals.hasOpenDescription) await this.#provisionals.described();
    // The caller may have left during the wait for a PRACK.
    if (this.#end !== undefined) return { ok: false, reason: this.#end };
    this.#state = "answered";
    const { unacknowledged } = this.#provisionals;
    this.#provisionals.stop();
    this.#release();
    const session = this.#session;
    session.confirm(unacknowledged);
    this.#replaced?.endReplaced();
    const fields = {
      ...headers,
      "record-route": this.headers.getAll("record-route"),
      ...session.timer.answer(this.#transaction.request),
    };
    const isAgreed = session.media.state === "stable";
    const description = isAgreed ? undefined : session.describe(sdp);
    await session.offers.answerInvite(this.#transaction, description, fields);
    if (!session.isEnded) return { ok: true, session };
    const { cause } = await session.ended;
    return {
      ok: false,
      reason: cause === "no_ack" ? "no_ack" : cause === "remote_bye" ? "hung_up" : "closed",
    };
  }

  /** Rejects the call (status 300 to 699). Does nothing after it is answered or gone. */
  reject(status: number, reason?: string, headers: HeaderFields = {}): void {
    if (this.#state !== "pending") return;
    this.#finish("rejected", status, reason, headers);
  }

  /** §12.1.1: the header fields of a response that creates a dialog. */
  #dialogHeaders(): HeaderFields {
    const Contact = this.#contactFor(this.source);
    return { "record-route": this.headers.getAll("record-route"), Contact, ...capabilities };
  }

  #finish(end: InviteEnd, status: number, reason?: string, headers: HeaderFields = {}): void {
    if (this.#state !== "pending" && this.#state !== "accepting") return;
    this.#state = "gone";
    this.#end = end;
    this.#provisionals.stop();
    this.#transaction.respond(status, reason === undefined ? { headers } : { reason, headers });
    this.#session.discard();
    this.#release();
    if (end !== "rejected") this.#controller.abort(end);
  }

  #release(): void {
    this.#expiry.cancel();
    this.#repeatProvisional?.cancel();
    this.#core.openCalls.delete(this);
  }

  /** RFC 3262 §3; the PRACK may contain the answer to our offer, or an offer of its own (§5). */
  #receivePrack(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { media } = this.#session;
    if (!this.#provisionals.receive(request)) {
      transaction.respond(481);
      return;
    }
    const sdp = sdpOf(request);
    if (sdp === "") transaction.respond(200);
    else if (media.state === "offer_sent") {
      media.receiveAnswer(sdp);
      transaction.respond(200);
    } else this.#session.offers.onPrackOffer(transaction);
  }

  /** §15: the caller may end an early dialog by BYE. */
  #receiveBye(transaction: ServerTransaction): void {
    transaction.respond(200);
    this.#finish("hung_up", 487);
  }

  close(): Promise<void> {
    this.#finish("closed", 503);
    return Promise.resolve();
  }

  abandon(): void {
    this.#state = "gone";
    this.#end ??= "closed";
    this.#provisionals.stop();
    this.#session.discard();
    this.#release();
  }
}
