import type { Timer } from "../../clock.ts";
import type { DigestClient } from "../../digest/client.ts";
import { DialogClient } from "../../dialogs/dialog-client.ts";
import type { Dialog } from "../../dialogs/dialog.ts";
import type { HeaderFields, HeaderList } from "../../messages/header-list.ts";
import type { SipRequest } from "../../messages/message.ts";
import { OfferAnswer } from "../../sdp/offer-answer.ts";
import { isHolding } from "../../sdp/revise.ts";
import type { ReferOptions, ReferResult } from "../../subscriptions/outgoing-refer.ts";
import { Referrals } from "../../subscriptions/referrals.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import type { Hop } from "../../transport/transport.ts";
import type { DialogOwner, OpenCall, UserAgentCore } from "../core.ts";
import { IncomingOffers } from "./incoming-offers.ts";
import { answerInfo, type DtmfInfo, type DtmfInfoOptions } from "./info-dtmf.ts";
import { type OfferResult, OutgoingOffers } from "./outgoing-offers.ts";
import { readRack } from "../invite/reliable-provisionals.ts";
import { type Replaces, replacesOf } from "./replaces.ts";
import { capabilities, rejectionOf, sdpOf, tryLater } from "../request-rules.ts";
import { SessionContext } from "./session-context.ts";
import { SessionRequests } from "./session-requests.ts";
import { SessionTimer } from "./session-timer.ts";
import type { RequestResult, Session, SessionEnd } from "./session.ts";

/** Longest wait for the BYE of a peer that no longer has the dialog. */
const BYE_GRACE_MS = 1_000;

export interface SessionOptions {
  /** The Contact value that the peer at this address can reach. */
  contactFor: (peer: Hop) => string;
  /** Source of the peer's messages. */
  peer: Hop;
  digest: DigestClient | undefined;
  isCaller: boolean;
}

/** How the INVITE of an early dialog handles requests that affect it. */
export interface EarlyHandlers {
  onPrack(transaction: ServerTransaction): void;
  /** §15: the caller may end an early dialog by BYE. */
  onBye(transaction: ServerTransaction): void;
  /** RFC 3891 §3: our own unanswered call is replaced. */
  onReplaced(): void;
}

/**
 * The session of one dialog, from the first response that creates it (RFC 3261 §12.1): early, then confirmed by a
 * 2xx, then ended. It handles the dialog's requests and owns its timers.
 */
export class DialogSession implements Session, DialogOwner, OpenCall {
  readonly ended: Promise<SessionEnd>;
  onReinvite: Session["onReinvite"];
  onOfferNeeded: Session["onOfferNeeded"];
  onRemoteAnswer: Session["onRemoteAnswer"];
  onDtmf: Session["onDtmf"];
  onRefer: Session["onRefer"];
  readonly client: DialogClient;
  readonly media = new OfferAnswer();
  readonly timer: SessionTimer;
  readonly offers: IncomingOffers;
  readonly #core: UserAgentCore;
  readonly #dialog: Dialog;
  readonly #context: SessionContext;
  readonly #changes: OutgoingOffers;
  readonly #referrals: Referrals;
  readonly #requests: SessionRequests;
  #early: EarlyHandlers | undefined;
  #openRack: string | undefined;
  #resolveEnded: (end: SessionEnd) => void = () => undefined;
  #bye: Promise<void> | undefined;
  #isRemoteGone = false;
  #lostTimer: Timer | undefined;

  constructor(
    core: UserAgentCore,
    dialog: Dialog,
    options: SessionOptions,
    early: EarlyHandlers | undefined,
  ) {
    this.#core = core;
    this.#dialog = dialog;
    this.#early = early;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const { contactFor, isCaller, peer, digest } = options;
    this.client = new DialogClient({ core, dialog, peer, digest, contactFor });
    this.timer = new SessionTimer(core.clock, core.sessionTimer, {
      refresh: () => void this.#changes.refresh(),
      expire: () => void this.#terminate({ cause: "expired" }),
    });
    const { client, media, timer } = this;
    this.#context = new SessionContext({
      core,
      dialog,
      client,
      media,
      timer,
      contactFor,
      isCaller,
      buildOffer: () => this.onOfferNeeded?.(),
    });
    const onAnswer = (answer: string): void => core.guard(() => this.onRemoteAnswer?.(answer));
    this.offers = new IncomingOffers(this.#context, {
      isInviting: () => this.#changes.isInviting,
      onOffer: () => this.onReinvite,
      onAnswer,
      onUnacknowledged: () => void this.#terminate({ cause: "no_ack" }),
    });
    this.#changes = new OutgoingOffers(this.#context, {
      idle: () => this.offers.idle(),
      isPeerBusy: () => this.offers.isBusy,
      onAnswer,
      onLost: () => this.#noteLost(),
    });
    this.#referrals = new Referrals(this.#context);
    this.#requests = new SessionRequests(this.#context, () => this.#noteLost());
    core.dialogs.set(dialog.key, this);
  }

  get session(): Session {
    return this;
  }

  get id(): string {
    return this.#dialog.key.replaceAll("\n", ";");
  }

  get callId(): string {
    return this.#dialog.callId;
  }

  get replaces(): Replaces {
    return replacesOf(this.#dialog);
  }

  get localSdp(): string {
    return this.media.local;
  }

  get remoteSdp(): string {
    return this.media.remote;
  }

  get isHeld(): boolean {
    return isHolding(this.media.remote);
  }

  get isHolding(): boolean {
    return this.#context.isHolding;
  }

  get isEnded(): boolean {
    return this.#context.isEnded;
  }

  /** The application's description as sent in this dialog. */
  describe(sdp: string): string {
    return this.#context.describe(sdp);
  }

  setAllowedMethods(headers: HeaderList): void {
    this.#context.setAllowedMethods(headers);
  }

  /**
   * Confirms the session after a 2xx to the INVITE; it is then a call of its own.
   *
   * @param openRack RFC 3262 §3: the RAck value of a PRACK that the 2xx may cross.
   */
  confirm(openRack?: string): void {
    this.#early = undefined;
    this.#openRack = openRack;
    this.#dialog.isConfirmed = true;
    this.#core.openCalls.add(this);
  }

  /** Drops an early dialog after its INVITE failed or another fork was answered; nothing is sent (§13.2.2.3). */
  discard(): void {
    this.#isRemoteGone = true;
    this.#end({ cause: "closed" });
    this.client.close();
    this.#referrals.abandon();
    this.#forget();
  }

  onAck(ack: SipRequest): void {
    this.offers.onAck(ack);
  }

  onRequest(transaction: ServerTransaction): void {
    const { request } = transaction;
    // §12.2.2: out of order, for example because a later request overtook it.
    if (!this.#dialog.acceptSequence(request.cseq.sequence)) {
      transaction.respond(500, { ...tryLater().content, reason: "CSeq Out of Order" });
      return;
    }
    // Follow the peer's current address: its connection may have broken, or its NAT may have changed the port.
    this.client.peer = transaction.source;
    this.#context.setAllowedMethods(request.headers);
    const rejection = rejectionOf(request);
    if (rejection !== undefined) transaction.respond(rejection.status, rejection.content);
    else if (request.method === "BYE") this.#receiveBye(transaction);
    // RFC 5057 §4.1: a subscription outlives its call.
    else if (request.method === "NOTIFY") this.#referrals.onNotify(transaction);
    else if (this.isEnded) transaction.respond(481);
    else this.#dispatch(transaction);
  }

  #dispatch(transaction: ServerTransaction): void {
    switch (transaction.request.method) {
      case "INVITE":
        if (this.#early === undefined) this.offers.onInvite(transaction);
        // §14.2: the first INVITE has no final response yet.
        else transaction.respond(500, tryLater().content);
        return;
      case "UPDATE":
        return this.offers.onUpdate(transaction);
      case "PRACK":
        if (this.#early === undefined) this.#receiveLatePrack(transaction);
        else this.#early.onPrack(transaction);
        return;
      case "INFO":
        return this.#receiveKey(answerInfo(transaction));
      case "REFER":
        return this.#referrals.onRefer(transaction, this.onRefer);
      default:
        transaction.respond(200, { headers: { ...capabilities, Accept: "application/sdp" } });
    }
  }

  /** RFC 3262 §3: the response without a description that it acknowledges is repeated no more. */
  #receiveLatePrack(transaction: ServerTransaction): void {
    const { request } = transaction;
    const isOpen = this.#openRack !== undefined && readRack(request) === this.#openRack;
    if (isOpen) this.#openRack = undefined;
    if (isOpen && sdpOf(request) !== "") this.offers.onPrackOffer(transaction);
    else transaction.respond(isOpen ? 200 : 481);
  }

  /** §15.1.2. */
  #receiveBye(transaction: ServerTransaction): void {
    if (this.#early !== undefined) {
      this.#early.onBye(transaction);
      return;
    }
    transaction.respond(200);
    this.#isRemoteGone = true;
    this.#end({ cause: "remote_bye", headers: transaction.request.headers });
    // The peer got our 2xx, even if its ACK was lost.
    this.offers.settle(true);
    this.#bye ??= this.#release();
  }

  #receiveKey(key: DtmfInfo | undefined): void {
    if (key !== undefined) this.#core.guard(() => this.onDtmf?.(key));
  }

  offer(sdp: string): Promise<OfferResult> {
    return this.#changes.offer(() => this.#context.describe(sdp));
  }

  hold(): Promise<OfferResult> {
    return this.#changes.setHold(true);
  }

  resume(): Promise<OfferResult> {
    return this.#changes.setHold(false);
  }

  refer(options: ReferOptions): Promise<ReferResult> {
    return this.#referrals.refer(options);
  }

  sendDtmf(digit: string, options?: DtmfInfoOptions): Promise<RequestResult> {
    return this.#requests.sendDtmf(digit, options);
  }

  options(): Promise<RequestResult> {
    return this.#requests.options();
  }

  /** RFC 3891 §3: 603 for an ended call; 486 for an answered call if only an early one may be replaced. */
  rejectionOfReplacement(isEarlyOnly: boolean): number | undefined {
    if (this.isEnded) return 603;
    if (this.#dialog.isConfirmed) return isEarlyOnly ? 486 : undefined;
    // An early dialog may be replaced only if this side started it.
    return this.#context.isCaller ? undefined : 481;
  }

  endReplaced(): void {
    if (this.#early === undefined) void this.#terminate({ cause: "replaced" });
    else this.#early.onReplaced();
  }

  bye(headers: HeaderFields = {}): Promise<void> {
    return this.#terminate({ cause: "local_bye" }, headers);
  }

  /** Ends the session from this side and notifies the peer if possible. */
  #terminate(end: SessionEnd, headers: HeaderFields = {}): Promise<void> {
    if (!this.isEnded) {
      this.#end(end);
      this.#bye ??= this.#sendBye(headers);
    }
    return this.#bye ?? Promise.resolve();
  }

  async #sendBye(headers: HeaderFields): Promise<void> {
    // §15: the called side sends no BYE before the ACK has arrived or timed out.
    await this.offers.acknowledged();
    if (!this.#isRemoteGone) await this.client.request("BYE", { headers });
    void this.#release();
  }

  /** Waits for transfer reports after the BYE of either side, then drops the dialog. */
  async #release(): Promise<void> {
    await this.#referrals.drain(this.#isRemoteGone);
    this.#forget();
  }

  /** Ends the session, unless the BYE comes of a peer that has just hung up: its 481 may overtake it. */
  #noteLost(): void {
    this.#lostTimer ??= this.#core.clock.schedule(
      BYE_GRACE_MS,
      () => void this.#terminate({ cause: "lost" }),
    );
  }

  #end(end: SessionEnd): void {
    if (this.isEnded) return;
    this.#lostTimer?.cancel();
    this.timer.stop();
    // Without a reason, `abort` would create an error with a stack trace for each call.
    this.#context.ending.abort("ended");
    this.offers.stop();
    this.#resolveEnded(end);
  }

  #forget(): void {
    // A transfer that the peer asked for may not have ended yet.
    this.#referrals.abandon();
    this.#core.dialogs.delete(this.#dialog.key);
    this.#core.openCalls.delete(this);
  }

  close(): Promise<void> {
    return this.bye();
  }

  abandon(): void {
    this.#end({ cause: "closed" });
    this.#isRemoteGone = true;
    this.offers.settle(false);
    this.client.close();
    this.#referrals.abandon();
    this.#forget();
  }
}
