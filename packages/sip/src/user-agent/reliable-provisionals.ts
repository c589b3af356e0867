import { randomInt } from "node:crypto";
import type { Clock, Timer } from "../clock.ts";
import type { SipRequest, SipResponse } from "../messages/message.ts";
import type { ResponseContent } from "../messages/response.ts";
import type { ServerTransaction } from "../transactions/server-transaction.ts";
import { T1_MS, TIMEOUT_MS } from "../transactions/timers.ts";

interface QueuedResponse {
  status: number;
  content: ResponseContent;
}

interface SentResponse {
  sequence: number;
  hasDescription: boolean;
  retransmit: Timer | undefined;
  timeout: Timer;
}

/**
 * The called side of RFC 3262: provisional responses that are repeated until their PRACK comes. One is on its way at
 * a time (§3: the next may only follow once the first is acknowledged; later ones keep to that too).
 */
export class ReliableProvisionals {
  readonly #clock: Clock;
  readonly #transaction: ServerTransaction;
  readonly #onUnacknowledged: () => void;
  readonly #queue: QueuedResponse[] = [];
  /** §3: the first is random between 1 and 2^31 - 1. */
  #nextSequence = randomInt(1, 2 ** 31 - 1);
  #sent: SentResponse | undefined;
  #whenDescribed: (() => void)[] = [];
  #isStopped = false;

  /** @param onUnacknowledged is called once where no PRACK has come for 64*T1; the INVITE is then refused. */
  constructor(clock: Clock, transaction: ServerTransaction, onUnacknowledged: () => void) {
    this.#clock = clock;
    this.#transaction = transaction;
    this.#onUnacknowledged = onUnacknowledged;
  }

  send(status: number, content: ResponseContent): void {
    this.#queue.push({ status, content });
    if (this.#sent === undefined) this.#sendNext();
  }

  #sendNext(): void {
    const next = this.#queue.shift();
    if (next === undefined || this.#isStopped) return;
    const sequence = this.#nextSequence++;
    const { status, content } = next;
    const headers = { ...content.headers, Require: "100rel", RSeq: String(sequence) };
    const response = this.#transaction.respond(status, { ...content, headers });
    const sent: SentResponse = {
      sequence,
      hasDescription: response.body !== "",
      retransmit: undefined,
      timeout: this.#clock.schedule(TIMEOUT_MS, () => {
        this.stop();
        this.#onUnacknowledged();
      }),
    };
    const arm = (intervalMs: number): void => {
      sent.retransmit = this.#clock.schedule(intervalMs, () => {
        this.#transaction.repeat(response);
        arm(intervalMs * 2);
      });
    };
    arm(T1_MS);
    this.#sent = sent;
  }

  /** Takes the PRACK of the response on its way; `false` where it is for another, to be answered 481 (§3). */
  receive(prack: SipRequest): boolean {
    const { sequence, method } = this.#transaction.request.cseq;
    const acknowledged = /^(\d{1,10})\s+(\d{1,10})\s+(\S+)$/.exec(prack.headers.get("rack")?.trim() ?? "");
    const isOurs =
      acknowledged !== null &&
      this.#sent !== undefined &&
      Number(acknowledged[1]) === this.#sent.sequence &&
      Number(acknowledged[2]) === sequence &&
      acknowledged[3] === method;
    if (!isOurs) return false;
    this.#settle();
    this.#sendNext();
    return true;
  }

  /** Whether a description that was sent, or is about to be, has not been acknowledged. */
  get hasOpenDescription(): boolean {
    return this.#sent?.hasDescription === true || this.#queue.some(({ content }) => content.body !== "");
  }

  /** §3: no 2xx goes out before then. Resolves when no description is open any more, or never will be acknowledged. */
  described(): Promise<void> {
    return new Promise((resolve) => this.#whenDescribed.push(resolve));
  }

  #settle(): void {
    this.#sent?.retransmit?.cancel();
    this.#sent?.timeout.cancel();
    this.#sent = undefined;
    if (this.hasOpenDescription) return;
    for (const resolve of this.#whenDescribed.splice(0)) resolve();
  }

  /** With the final response, or when the call is gone: nothing more is sent. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.length = 0;
    this.#settle();
  }
}

/** The calling side of RFC 3262 §4, for one early dialog: which reliable responses are taken, and in what order. */
export class ReliableReceipts {
  #last: number | undefined;

  /**
   * The value of RAck for a reliable response; `undefined` for a repeat, whose PRACK repeats itself, and for one that
   * overtook another: it will come again.
   */
  take({ headers, cseq }: SipResponse): string | undefined {
    const written = headers.get("rseq")?.trim() ?? "";
    const sequence = /^\d{1,10}$/.test(written) ? Number(written) : undefined;
    const isNext = this.#last === undefined || sequence === this.#last + 1;
    if (sequence === undefined || !isNext) return undefined;
    this.#last = sequence;
    return `${sequence} ${cseq.sequence} INVITE`;
  }
}
