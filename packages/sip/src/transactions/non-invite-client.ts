import type { Timer } from "../clock.ts";
import type { SipResponse } from "../messages/message.ts";
import type { Hop } from "../transport/transport.ts";
import type { TransactionEnvironment } from "./environment.ts";
import type { ClientTransactionUser } from "./invite-client.ts";
import { T4_MS, T1_MS, T2_MS, TIMEOUT_MS } from "./timers.ts";

type State = "trying" | "proceeding" | "completed" | "terminated";

/** Client transaction for all methods except INVITE and ACK (RFC 3261 §17.1.2). */
export class NonInviteClientTransaction {
  #state: State = "trying";
  readonly #environment: TransactionEnvironment;
  readonly #user: ClientTransactionUser;
  readonly #request: Buffer;
  #retransmit: Timer | undefined;
  #timeout: Timer | undefined;

  constructor(environment: TransactionEnvironment, user: ClientTransactionUser, request: Buffer) {
    this.#environment = environment;
    this.#user = user;
    this.#request = request;
  }

  /** §17.1.2.2: timer E doubles from T1 up to T2; timer F ends the attempt. */
  start(timeoutMs: number = TIMEOUT_MS): void {
    if (!this.#environment.isReliable) this.#armTimerE(T1_MS);
    // Timer F
    this.#timeout = this.#environment.clock.schedule(timeoutMs, () => this.fail("timeout"));
    // Last, because a transport that fails at once ends the transaction and its timers.
    this.#environment.send(this.#request);
  }

  #armTimerE(intervalMs: number): void {
    this.#retransmit = this.#environment.clock.schedule(intervalMs, () => {
      // In Proceeding the interval is T2. Armed before sending, because a send failure may end the transaction.
      this.#armTimerE(this.#state === "proceeding" ? T2_MS : Math.min(intervalMs * 2, T2_MS));
      this.#environment.send(this.#request);
    });
  }

  receive(response: SipResponse, source: Hop): void {
    if (this.#state === "completed" || this.#state === "terminated") return;
    if (response.status < 200) {
      this.#state = "proceeding";
    } else {
      this.#state = "completed";
      this.#retransmit?.cancel();
      this.#timeout?.cancel();
      // Timer K
      const delayMs = this.#environment.isReliable ? 0 : T4_MS;
      this.#timeout = this.#environment.clock.schedule(delayMs, () => this.terminate());
    }
    this.#user.onResponse(response, source);
  }

  /** Handles timer F or a transport error (§17.1.4). */
  fail(failure: "timeout" | "transport"): void {
    if (this.#state !== "trying" && this.#state !== "proceeding") return;
    this.terminate();
    this.#user.onFailure(failure);
  }

  /** Ends the transaction without notifying its user. Idempotent. */
  terminate(): void {
    if (this.#state === "terminated") return;
    this.#state = "terminated";
    this.#retransmit?.cancel();
    this.#timeout?.cancel();
    this.#environment.onTerminated();
  }
}
