import type { HeaderFields } from "../../messages/header-list.ts";
import type { SipRequest } from "../../messages/message.ts";
import { answerDirections } from "../../sdp/revise.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import { TIMEOUT_MS } from "../../transactions/timers.ts";
import { PendingAnswer } from "./answer.ts";
import { type Rejection, sdpOf, tryLater } from "../request-rules.ts";
import type { SessionContext } from "./session-context.ts";

/** The application's answer to an offer, or a rejection such as 488 that does not change the session. */
export type ReinviteAnswer = { sdp: string } | { status: number; reason?: string };

export interface IncomingOffersHandlers {
  /** True while our own INVITE is pending (RFC 3261 §14.2). */
  isInviting(): boolean;
  onOffer(): ((offer: string) => ReinviteAnswer | Promise<ReinviteAnswer>) | undefined;
  /** Called with the peer's answer to an offer that it requested. */
  onAnswer(answer: string): void;
  /** Called if there is no ACK for a 2xx. */
  onUnacknowledged(): void;
}

/** RFC 3311 §5.2: an UPDATE must be answered without user interaction, which would take longer. */
const UPDATE_TIMEOUT_MS = 8_000;

/** Answers the peer's re-INVITEs and UPDATEs (RFC 3261 §14.2, RFC 3311 §5.2, RFC 6337). */
export class IncomingOffers {
  readonly #context: SessionContext;
  readonly #handlers: IncomingOffersHandlers;
  /** The 2xx to an INVITE that waits for its ACK. */
  #pending: PendingAnswer | undefined;
  #isDeciding = false;
  #giveUp: () => void = () => undefined;
  #whenIdle: (() => void)[] = [];

  constructor(context: SessionContext, handlers: IncomingOffersHandlers) {
    this.#context = context;
    this.#handlers = handlers;
  }

  /** True while an INVITE or offer of the peer is undecided or unacknowledged. */
  get isBusy(): boolean {
    return this.#isDeciding || this.#pending !== undefined;
  }

  /** Resolves when no offer or INVITE of the peer is open. */
  idle(): Promise<void> {
    return this.isBusy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve();
  }

  /** §15: resolves when the ACK of our last 2xx has arrived or timed out. */
  async acknowledged(): Promise<void> {
    await this.#pending?.settled;
  }

  onInvite(transaction: ServerTransaction): void {
    const rejection = this.#rejectionOfInvite(transaction.request);
    if (rejection !== undefined) {
      transaction.respond(rejection.status, rejection.content);
      return;
    }
    transaction.respond(100);
    transaction.onCancel = () => void transaction.respond(487);
    this.#decide(transaction, TIMEOUT_MS, 500, (sdp) => {
      void this.answerInvite(transaction, sdp, this.#context.timer.answer(transaction.request));
    });
  }

  /** §14.2, and RFC 6337 §4.3 for offers in other requests. */
  #rejectionOfInvite(request: SipRequest): Rejection | undefined {
    // An undecided or unacknowledged INVITE must be complete before the next one.
    if (this.isBusy) return tryLater();
    if (this.#handlers.isInviting() || this.#context.media.state === "offer_sent") return { status: 491 };
    return this.#context.timer.rejectionOf(request);
  }

  onUpdate(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { media, timer } = this.#context;
    const isOffer = sdpOf(request) !== "";
    let rejection = timer.rejectionOf(request);
    // RFC 3311 §5.2: our own offer or an earlier one of the peer is open.
    if (isOffer && media.state === "offer_sent") rejection = { status: 491 };
    else if (this.#isDeciding || (isOffer && media.state === "offer_received")) rejection = tryLater();
    if (rejection !== undefined) transaction.respond(rejection.status, rejection.content);
    else if (isOffer) {
      this.#decide(transaction, UPDATE_TIMEOUT_MS, 504, (sdp) =>
        this.#answerUpdate(transaction, media.sendAnswer(sdp)),
      );
    } else this.#answerUpdate(transaction, "");
  }

  #answerUpdate(transaction: ServerTransaction, body: string): void {
    const { dialog, timer, fields } = this.#context;
    const { request } = transaction;
    dialog.refreshTarget(request);
    // The session timer of a call starts with the 2xx to its INVITE (RFC 4028 §9).
    const timerFields = dialog.isConfirmed ? timer.answer(request) : {};
    transaction.respond(200, { headers: { ...fields, ...timerFields }, body });
  }

  /** RFC 3262 §5: a PRACK may contain an offer after the first exchange is complete. */
  onPrackOffer(transaction: ServerTransaction): void {
    const { media } = this.#context;
    if (media.state !== "stable") {
      const { status, content } = tryLater();
      transaction.respond(status, content);
      return;
    }
    this.#decide(transaction, UPDATE_TIMEOUT_MS, 504, (sdp) =>
      transaction.respond(200, { body: media.sendAnswer(sdp) }),
    );
  }

  /** Passes an offer to the application, then rejects it or has it answered. */
  #decide(
    transaction: ServerTransaction,
    deadlineMs: number,
    statusAtDeadline: number,
    accept: (sdp: string) => void,
  ): void {
    const { media, core } = this.#context;
    const offer = sdpOf(transaction.request);
    if (offer !== "") media.receiveOffer(offer);
    this.#isDeciding = true;
    this.#askApplication(offer, deadlineMs, statusAtDeadline)
      .then((decision) => {
        this.#isDeciding = false;
        if (this.#context.isEnded) transaction.respond(487);
        if ("status" in decision) {
          const { status, reason } = decision;
          transaction.respond(status, reason === undefined ? {} : { reason });
        }
        // Rejected, canceled or hung up in the meantime.
        if (!transaction.isWaitingForFinal) media.withdraw();
        // The peer's direction limits only this answer, not our later descriptions.
        else if ("sdp" in decision) accept(answerDirections(this.#context.describe(decision.sdp), offer));
        this.#notifyIdle();
        return undefined;
      })
      .catch(core.reportError);
  }

  async #askApplication(
    offer: string,
    deadlineMs: number,
    statusAtDeadline: number,
  ): Promise<ReinviteAnswer> {
    const { core } = this.#context;
    const handler = this.#handlers.onOffer();
    // An INVITE without an offer requests ours (§14.2).
    if (offer === "") return { sdp: this.#context.nextOffer };
    if (handler === undefined) return { sdp: this.#context.description };
    const { promise: givenUp, resolve } = Promise.withResolvers<ReinviteAnswer>();
    this.#giveUp = () => resolve({ status: statusAtDeadline });
    const timer = core.clock.schedule(deadlineMs, this.#giveUp);
    try {
      return await Promise.race([handler(offer), givenUp]);
    } catch (error) {
      core.reportError(error);
      return { status: 500 };
    } finally {
      timer.cancel();
    }
  }

  /**
   * Sends a 2xx to an INVITE: with `sdp` as our answer if its offer is open, otherwise as our offer. Resolves
   * with true if the ACK arrived.
   *
   * @param sdp `undefined` if a reliable provisional response has already completed the exchange (RFC 3262 §5).
   */
  async answerInvite(
    transaction: ServerTransaction,
    sdp: string | undefined,
    fields: HeaderFields,
  ): Promise<boolean> {
    const { media, core, dialog } = this.#context;
    dialog.refreshTarget(transaction.request);
    let body = "";
    if (sdp !== undefined)
      body = media.state === "offer_received" ? media.sendAnswer(sdp) : media.sendOffer(sdp);
    const response = transaction.respond(200, { headers: { ...fields, ...this.#context.fields }, body });
    const pending = new PendingAnswer(core.clock, transaction, response);
    this.#pending = pending;
    transaction.onAck = (ack) => this.onAck(ack);
    const isAcknowledged = await pending.settled;
    // Does not retain the call, because the transaction remains for half a minute.
    transaction.onAck = undefined;
    if (this.#pending === pending) this.#pending = undefined;
    // §13.3.1.4: without an ACK the dialog is confirmed, but the session must be ended.
    if (!isAcknowledged) this.#handlers.onUnacknowledged();
    this.#notifyIdle();
    return isAcknowledged;
  }

  onAck(ack: SipRequest): void {
    const { media } = this.#context;
    if (ack.cseq.sequence !== this.#pending?.sequence) return;
    const wasAgreed = media.remote !== "";
    if (media.state === "offer_sent" && media.receiveAnswer(sdpOf(ack)) && wasAgreed) {
      this.#handlers.onAnswer(media.remote);
    }
    this.settle(true);
  }

  #notifyIdle(): void {
    if (!this.isBusy) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Stops when the session ends; only an ACK may still arrive. */
  stop(): void {
    this.#giveUp();
  }

  /**
   * Ends the wait for an ACK that has arrived, timed out or is no longer needed. The next INVITE may follow at once, in the
   * same TCP segment as the ACK.
   */
  settle(isAcknowledged: boolean): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.settle(isAcknowledged);
  }
}
