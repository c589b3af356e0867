import type { DialogReply, RequestContent } from "../../dialogs/dialog-client.ts";
import type { SipResponse } from "../../messages/message.ts";
import { retryAfterMs } from "../../messages/delta-seconds.ts";
import { sdpOf } from "../request-rules.ts";
import type { SessionContext } from "./session-context.ts";

/** The outcome of a session change requested by this side. */
export type OfferResult =
  | { ok: true; /** The peer's. */ answer: string }
  | {
      ok: false;
      /** `ended`: the call ended before the peer agreed. */
      cause: "rejected" | "no_response" | "ended";
      status: number;
      reason: string;
    };

/** Limits the attempts after glare, an undecided offer or a session interval that is too short. */
const MAX_ATTEMPTS = 6;

/** A longer Retry-After ends the attempts. */
const MAX_RETRY_AFTER_MS = 30_000;

const ended: OfferResult = {
  ok: false,
  cause: "ended",
  status: 481,
  reason: "Call/Transaction Does Not Exist",
};

interface OutgoingOffersHandlers {
  /** Resolves when the peer has no open request that a new INVITE would cross (RFC 3261 §14.1). */
  idle(): Promise<void>;
  isPeerBusy(): boolean;
  /** Called with the peer's answer to our offer. */
  onAnswer(answer: string): void;
  /** §12.2.1.2: called if the peer no longer has the dialog, or is gone. */
  onLost(): void;
}

/** Changes a session by re-INVITE or UPDATE (RFC 3261 §14.1, RFC 3311 §5.1), one change at a time. */
export class OutgoingOffers {
  readonly #context: SessionContext;
  readonly #handlers: OutgoingOffersHandlers;
  #last: Promise<unknown> = Promise.resolve();
  #isInviting = false;

  constructor(context: SessionContext, handlers: OutgoingOffersHandlers) {
    this.#context = context;
    this.#handlers = handlers;
  }

  /** True while a re-INVITE has no final response. */
  get isInviting(): boolean {
    return this.#isInviting;
  }

  /**
   * @param describe builds the description when the change starts, once per attempt.
   * @param isNeeded checked when the change starts; `false` skips the change.
   */
  offer(describe: () => string, isNeeded: () => boolean = () => true): Promise<OfferResult> {
    return this.#enqueue(() => {
      if (!isNeeded()) return Promise.resolve({ ok: true, answer: this.#context.media.remote });
      // The INVITE of an early dialog is open, so only UPDATE can change the session (RFC 3311 §5.1).
      return this.#change(this.#context.dialog.isConfirmed ? "INVITE" : "UPDATE", describe);
    });
  }

  /** If the peer rejects hold or resume, the session does not change (RFC 6337 §3.4). */
  async setHold(isHolding: boolean): Promise<OfferResult> {
    const context = this.#context;
    const result = await this.offer(
      () => {
        context.isHolding = isHolding;
        return context.describe(context.nextOffer);
      },
      () => context.isHolding !== isHolding,
    );
    if (!result.ok) context.isHolding = !isHolding;
    return result;
  }

  /**
   * RFC 4028 §7.4: refreshes the session, by UPDATE without an offer if the peer supports it, otherwise by re-INVITE
   * with the description in effect.
   */
  async refresh(): Promise<void> {
    const { media } = this.#context;
    await this.#enqueue(() =>
      this.#context.allows("UPDATE")
        ? this.#change("UPDATE", undefined)
        : this.#change("INVITE", () => media.local),
    );
  }

  #enqueue(run: () => Promise<OfferResult>): Promise<OfferResult> {
    const result = this.#last.then(run);
    this.#last = result;
    return result;
  }

  async #change(method: "INVITE" | "UPDATE", describe: (() => string) | undefined): Promise<OfferResult> {
    const { media } = this.#context;
    let result: OfferResult = ended;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      while (this.#handlers.isPeerBusy() && !this.#context.isEnded) await this.#handlers.idle();
      if (this.#context.isEnded) return ended;
      if (describe !== undefined && media.state !== "stable") {
        return { ok: false, cause: "rejected", status: 491, reason: "Request Pending" };
      }
      const reply = await this.#send(method, describe);
      if (isDialogGone(reply)) this.#handlers.onLost();
      if ("failure" in reply || isDialogGone(reply)) return toFailure(reply);
      // Hung up while the peer agreed: start no timers.
      if (this.#context.isEnded) return ended;
      if (reply.response.status < 300) return this.#accept(reply.response, describe !== undefined);
      result = toFailure(reply);
      const pauseMs = this.#pauseBeforeRetry(reply.response);
      if (pauseMs === undefined) return result;
      await this.#context.pause(pauseMs);
    }
    return result;
  }

  async #send(method: "INVITE" | "UPDATE", describe: (() => string) | undefined): Promise<DialogReply> {
    const context = this.#context;
    const { client, media, timer, fields, description } = context;
    const content: RequestContent = { headers: { ...fields, ...timer.requestFields() } };
    if (describe !== undefined) content.body = media.sendOffer(describe());
    this.#isInviting = method === "INVITE";
    const reply = await client.request(method, content);
    this.#isInviting = false;
    const isAccepted = "response" in reply && reply.response.status < 300;
    if (!isAccepted && describe !== undefined) {
      media.withdraw();
      context.description = description;
    }
    return reply;
  }

  #accept(response: SipResponse, isOffer: boolean): OfferResult {
    const { media, timer } = this.#context;
    this.#context.setAllowedMethods(response.headers);
    timer.receiveSuccess(response.headers);
    const answer = sdpOf(response);
    if (!isOffer) return { ok: true, answer: media.remote };
    if (answer === "") {
      media.withdraw();
      return { ok: false, cause: "rejected", status: response.status, reason: "No Answer in the Response" };
    }
    media.receiveAnswer(answer);
    this.#handlers.onAnswer(answer);
    return { ok: true, answer };
  }

  /** The pause after which the same request may succeed; `undefined` if it cannot. */
  #pauseBeforeRetry(response: SipResponse): number | undefined {
    const { core, isCaller, timer } = this.#context;
    if (response.status === 422) {
      timer.raise(response.headers);
      return 0;
    }
    // §14.1, in steps of 10 ms: the owner of the Call-ID waits longer, so that the two do not collide again.
    if (response.status === 491)
      return Math.round((isCaller ? 210 : 0) + core.random() * (isCaller ? 190 : 200)) * 10;
    const asked = response.status === 500 || response.status === 503 ? retryAfterMs(response) : undefined;
    return asked !== undefined && asked <= MAX_RETRY_AFTER_MS ? asked : undefined;
  }
}

/** §12.2.1.2: true if the peer does not answer or no longer has the dialog. */
export function isDialogGone(reply: DialogReply): boolean {
  if ("failure" in reply) return reply.failure === "timeout";
  return reply.response.status === 408 || reply.response.status === 481;
}

function toFailure(reply: DialogReply): OfferResult {
  if ("response" in reply) {
    const { status, reason } = reply.response;
    return { ok: false, cause: "rejected", status, reason };
  }
  if (reply.failure === "closed") return ended;
  return { ok: false, cause: "no_response", status: 408, reason: "Request Timeout" };
}
