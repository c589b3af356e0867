import type { Clock, Timer } from "../clock.ts";
import type { DialogReply, RequestContent } from "../dialogs/dialog-client.ts";
import { singleLine } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import { formatReplaces, type Replaces } from "../user-agent/session/replaces.ts";
import { readSipfrag, type ReportedStatus } from "./sipfrag.ts";

export interface ReferOptions {
  /** The URI that the peer should call. */
  to: string;
  /** Another session of ours with that URI, which the new call replaces (attended transfer). */
  replaces?: Replaces;
  /** The referring party, as a URI (RFC 3892). */
  referredBy?: string;
  /** The longest wait for the outcome. Default 120 s. */
  timeoutMs?: number;
  /** Called for each progress report of the peer's call. */
  onProgress?: (status: ReportedStatus) => void;
}

/** The outcome of a transfer. */
export type ReferResult =
  /** The target answered the peer. */
  | { ok: true; status: number; reason: string }
  | {
      ok: false;
      /**
       * `refused`: the peer does not transfer, or does not answer the request. `failed`: the target did not answer
       * the peer. `no_report`: the peer did not report the outcome in time. `ended`: the call ended first.
       * `ended_unreported`: the peer had accepted, and ended the call without reporting an outcome.
       */
      cause: "refused" | "failed" | "no_report" | "ended" | "ended_unreported";
      status: number;
      reason: string;
    };

const DEFAULT_TIMEOUT_MS = 120_000;

/** Time for five sends of the request. A peer without REFER may drop it instead of answering 405. */
const ANSWER_TIMEOUT_MS = 8_000;

const noReport: ReferResult = { ok: false, cause: "no_report", status: 408, reason: "Request Timeout" };
const ended: ReferResult = {
  ok: false,
  cause: "ended",
  status: 481,
  reason: "Call/Transaction Does Not Exist",
};
const endedUnreported: ReferResult = { ...ended, cause: "ended_unreported" };
const unanswered: ReferResult = { ok: false, cause: "refused", status: 408, reason: "Request Timeout" };

/** A request to the peer to call a third party in our place, with the reports on that call (RFC 3515). */
export class OutgoingRefer {
  readonly #options: ReferOptions;
  readonly #result = Promise.withResolvers<ReferResult>();
  readonly #timeout: Timer;
  readonly #answerTimeout: Timer;
  #isOpen = true;
  #isAccepted = false;

  constructor(clock: Clock, options: ReferOptions) {
    this.#options = options;
    this.#timeout = clock.schedule(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () =>
      this.#finish(this.#isAccepted ? noReport : unanswered),
    );
    this.#answerTimeout = clock.schedule(ANSWER_TIMEOUT_MS, () => this.#finish(unanswered));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves with the outcome, and never rejects. */
  async run(send: (content: RequestContent) => Promise<DialogReply>): Promise<ReferResult> {
    const { to, replaces, referredBy } = this.#options;
    const embedded =
      replaces === undefined ? "" : `?Replaces=${encodeURIComponent(formatReplaces(replaces))}`;
    const request = send({
      headers: {
        "Refer-To": `<${clean(to)}${embedded}>`,
        ...(referredBy !== undefined && { "Referred-By": `<${clean(referredBy)}>` }),
      },
    });
    void request.then((reply) => this.#handle(reply));
    return await this.#result.promise;
  }

  #handle(reply: DialogReply): void {
    if ("failure" in reply) {
      this.#finish(reply.failure === "closed" ? ended : unanswered);
      return;
    }
    const { status, reason } = reply.response;
    if (status >= 300) this.#finish({ ok: false, cause: "refused", status, reason });
    else this.#accept();
  }

  /** Handles a NOTIFY of the implicit subscription, which may overtake the 202 (RFC 3515 §2.4.4). */
  receive(notify: SipRequest): void {
    this.#accept();
    const reported = readSipfrag(notify);
    const onProgress = this.#options.onProgress;
    if (reported !== undefined) onProgress?.(reported);
    // Without an outcome, the end of the subscription says nothing: the peer may still hang up because it is done.
    if (reported === undefined || reported.status < 200) return;
    const isDone = reported.status < 300;
    this.#finish(isDone ? { ok: true, ...reported } : { ok: false, cause: "failed", ...reported });
  }

  /**
   * Ends the subscription together with the dialog. Idempotent.
   *
   * @param hasPeerLeft Whether the peer has ended the call.
   */
  close(hasPeerLeft: boolean): void {
    this.#finish(hasPeerLeft && this.#isAccepted ? endedUnreported : ended);
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#answerTimeout.cancel();
  }

  #finish(result: ReferResult): void {
    this.#isOpen = false;
    this.#timeout.cancel();
    this.#answerTimeout.cancel();
    this.#result.resolve(result);
  }
}

/** Removes characters that would end the angle brackets early. */
function clean(uri: string): string {
  return singleLine(uri).replace(/[<>"\s]/g, "");
}
