import type { Clock, Timer } from "../../clock.ts";
import type { OutgoingResponse } from "../../messages/message.ts";
import type { ServerTransaction } from "../../transactions/server-transaction.ts";
import { T1_MS, T2_MS, TIMEOUT_MS } from "../../transactions/timers.ts";

/**
 * An unacknowledged 2xx to an INVITE: repeated from T1, doubling up to T2, until its ACK arrives or 64*T1 have
 * passed; also over reliable transports, because a proxy may use an unreliable one (RFC 3261 §13.3.1.4).
 */
export class PendingAnswer {
  /** The CSeq number of the expected ACK. */
  readonly sequence: number;
  /** Resolves once: true if the ACK arrived. */
  readonly settled: Promise<boolean>;
  readonly #clock: Clock;
  readonly #repeat: () => void;
  readonly #timeout: Timer;
  #retransmit: Timer | undefined;
  #resolve: (isAcknowledged: boolean) => void = () => undefined;

  constructor(clock: Clock, transaction: ServerTransaction, response: OutgoingResponse) {
    this.#clock = clock;
    this.sequence = transaction.request.cseq.sequence;
    this.settled = new Promise((resolve) => (this.#resolve = resolve));
    this.#repeat = () => transaction.repeat(response);
    this.#arm(T1_MS);
    this.#timeout = clock.schedule(TIMEOUT_MS, () => this.settle(false));
  }

  #arm(intervalMs: number): void {
    this.#retransmit = this.#clock.schedule(intervalMs, () => {
      this.#repeat();
      this.#arm(Math.min(intervalMs * 2, T2_MS));
    });
  }

  /** Stops retransmission. Idempotent. */
  settle(isAcknowledged: boolean): void {
    this.#retransmit?.cancel();
    this.#timeout.cancel();
    this.#resolve(isAcknowledged);
  }
}
