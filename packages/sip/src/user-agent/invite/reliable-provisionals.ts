import { randomInt } from "node:crypto";
import type { Clock, Timer } from "../../clock.ts";
import type { SipRequest, SipResponse } from "../../messages/message.ts";
import type { ResponseContent } from "../../messages/response.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import { T1_MS, TIMEOUT_MS } from "../../transactions/timers.ts";

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
 * Called side of RFC 3262: provisional responses that are repeated until their PRACK arrives. Only one is
 * unacknowledged at a time (§3 requires this for the first one; here it applies to all).
 */
export class ReliableProvisionals {
  readonly #clock: Clock;
  readonly #transaction: ServerTransaction;
  readonly #onUnacknowledged: () => void;
  readonly #queue: QueuedResponse[] = [];
  /** §3: the first number is random between 1 and 2^31 - 1. */
  #nextSequence = randomInt(1, 2 ** 31 - 1);
  #sent: SentResponse | undefined;
  #whenDescribed: (() => void)[] = [];
  #isStopped = false;

  /** @param onUnacknowledged called once if there is no PRACK for 64*T1; the INVITE is then rejected. */
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

  /** The RAck value that acknowledges the last response; `undefined` if none is unacknowledged. */
  get unacknowledged(): string | undefined {
    const { sequence, method } = this.#transaction.request.cseq;
    return this.#sent && `${this.#sent.sequence} ${sequence} ${method}`;
  }

  /** Handles a PRACK; `false` if it does not match the unacknowledged response and gets 481 (§3). */
  receive(prack: SipRequest): boolean {
    const { unacknowledged } = this;
    if (unacknowledged === undefined || readRack(prack) !== unacknowledged) return false;
    this.#settle();
    this.#sendNext();
    return true;
  }

  /** True if a sent or queued description is not acknowledged. */
  get hasOpenDescription(): boolean {
    return this.#sent?.hasDescription === true || this.#queue.some(({ content }) => content.body !== "");
  }

  /** §3: resolves when a 2xx may be sent: no description is unacknowledged, or none will be acknowledged any more. */
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

  /** Stops sending, after the final response or when the call is gone. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.length = 0;
    this.#settle();
  }
}

/** The normalized RAck value of a PRACK; `undefined` if malformed. */
export function readRack(prack: SipRequest): string | undefined {
  const rack = /^0*(\d{1,10})\s+0*(\d{1,10})\s+(\S+)$/.exec(prack.headers.get("rack")?.trim() ?? "");
  return rack === null ? undefined : `${rack[1]} ${rack[2]} ${rack[3]}`;
}

/** Calling side of RFC 3262 §4, for one early dialog: selects the reliable responses to accept, in order. */
export class ReliableReceipts {
  #last: number | undefined;

  /**
   * The RAck value for a reliable response. `undefined` for a repeated one, whose PRACK is repeated by its
   * transaction, and for one that overtook another, because it will be repeated.
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
