import type { Clock, Timer } from "../clock.ts";
import type { DialogReply, RequestContent } from "../dialogs/dialog-client.ts";
import { singleLine } from "../messages/header-list.ts";
import type { SipRequest } from "../messages/message.ts";
import { formatReplaces, type Replaces } from "../user-agent/replaces.ts";
import { readSipfrag, type ReportedStatus } from "./sipfrag.ts";

export interface ReferOptions {
  /** The URI that the peer is to call. */
  to: string;
  /** Of another session of ours with that URI: an attended transfer, in which the new call takes its place. */
  replaces?: Replaces;
  /** Who asks, as a URI (RFC 3892). */
  referredBy?: string;
  /** The longest wait for the outcome. Default 120 s. */
  timeoutMs?: number;
  /** How far the peer's call has come, each time that it says so. */
  onProgress?: (status: ReportedStatus) => void;
}

/** What became of a transfer. */
export type ReferResult =
  /** The target answered the peer. */
  | { ok: true; status: number; reason: string }
  | {
      ok: false;
      /**
       * `refused`: the peer does not transfer. `failed`: it did, and the target did not answer. `no_report`: it never
       * said what came of it. `ended`: the call was over first.
       */
      cause: "refused" | "failed" | "no_report" | "ended";
      status: number;
      reason: string;
    };

const DEFAULT_TIMEOUT_MS = 120_000;

const noReport: ReferResult = { ok: false, cause: "no_report", status: 408, reason: "Request Timeout" };
const ended: ReferResult = {
  ok: false,
  cause: "ended",
  status: 481,
  reason: "Call/Transaction Does Not Exist",
};

/** Asks the peer to call somebody in our place, and follows what it reports (RFC 3515). */
export class OutgoingRefer {
  readonly #options: ReferOptions;
  readonly #result = Promise.withResolvers<ReferResult>();
  readonly #timeout: Timer;
  #isOpen = true;

  constructor(clock: Clock, options: ReferOptions) {
    this.#options = options;
    this.#timeout = clock.schedule(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => this.#finish(noReport));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves with the outcome, and never rejects. */
  async run(send: (content: RequestContent) => Promise<DialogReply>): Promise<ReferResult> {
    const { to, replaces, referredBy } = this.#options;
    const embedded =
      replaces === undefined ? "" : `?Replaces=${encodeURIComponent(formatReplaces(replaces))}`;
    const reply = await send({
      headers: {
        "Refer-To": `<${clean(to)}${embedded}>`,
        ...(referredBy !== undefined && { "Referred-By": `<${clean(referredBy)}>` }),
      },
    });
    if ("failure" in reply) this.#finish(reply.failure === "closed" ? ended : noReport);
    else {
      const { status, reason, headers } = reply.response;
      if (status >= 300) this.#finish({ ok: false, cause: "refused", status, reason });
      // RFC 4488 §4: the peer took the request and will not report.
      else if (headers.get("refer-sub")?.trim().toLowerCase() === "false") this.#finish(noReport);
    }
    return this.#result.promise;
  }

  /** Takes a NOTIFY of the implicit subscription, which may overtake the 202 (RFC 3515 §2.4.4). */
  receive(notify: SipRequest): void {
    const reported = readSipfrag(notify);
    const onProgress = this.#options.onProgress;
    if (reported !== undefined) onProgress?.(reported);
    if (reported !== undefined && reported.status >= 200) {
      const isDone = reported.status < 300;
      this.#finish(isDone ? { ok: true, ...reported } : { ok: false, cause: "failed", ...reported });
    } else if (/^\s*terminated\b/i.test(notify.headers.get("subscription-state") ?? ""))
      this.#finish(noReport);
  }

  /** The dialog is over, and with it the subscription. Idempotent. */
  close(): void {
    this.#finish(ended);
  }

  #finish(result: ReferResult): void {
    this.#isOpen = false;
    this.#timeout.cancel();
    this.#result.resolve(result);
  }
}

/** No character may end the angle brackets early. */
function clean(uri: string): string {
  return singleLine(uri).replace(/[<>"\s]/g, "");
}
