import type { Timer } from "../clock.ts";
import type { SipResponse } from "../messages/message.ts";
import type { Hop } from "../transport/transport.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { T1_MS, TIMEOUT_MS, TIMER_D_MS } from "./timers.ts";

export interface ClientTransactionUser {
  /** A response for the transaction user: each provisional, each 2xx, and the first other final response. */
  onResponse(response: SipResponse, source: Hop): void;
  /** There was no final response in time, or the request could not be sent. This is the last call. */
  onFailure(failure: "timeout" | "transport"): void;
  /**
   * Called before the request goes to another hop in a new transaction, or over a connection just opened for it.
   * Fields that depend on the hop, such as Contact, can be changed.
   */
  onNextHop?(hop: Hop): void;
}

type State = "calling" | "proceeding" | "accepted" | "completed" | "terminated";

/** INVITE client transaction (RFC 3261 §17.1.1, with the Accepted state of RFC 6026 §7.2). */
export class InviteClientTransaction {
  #state: State = "calling";
  readonly #environment: TransactionEnvironment;
  readonly #user: ClientTransactionUser;
  readonly #request: Buffer;
  readonly #buildAck: (response: SipResponse) => Buffer;
  #ack: Buffer | undefined;
  #retransmit: Timer | undefined;
  #timeout: Timer | undefined;

  /** @param buildAck builds the ACK of a non-2xx final response (§17.1.1.3). */
  constructor(
    environment: TransactionEnvironment,
    user: ClientTransactionUser,
    request: Buffer,
    buildAck: (response: SipResponse) => Buffer,
  ) {
    this.#environment = environment;
    this.#user = user;
    this.#request = request;
    this.#buildAck = buildAck;
  }

  /** §17.1.1.2: timer A doubles from T1 over unreliable transports; timer B ends the attempt. */
  start(timeoutMs: number = TIMEOUT_MS): void {
    if (!this.#environment.isReliable) this.#armTimerA(T1_MS);
    // Timer B
    this.#timeout = this.#environment.clock.schedule(timeoutMs, () => this.fail("timeout"));
    // Last, because a transport that fails at once ends the transaction and its timers.
    this.#environment.send(this.#request);
  }

  #armTimerA(intervalMs: number): void {
    this.#retransmit = this.#environment.clock.schedule(intervalMs, () => {
      // Armed before sending, because a send failure may end the transaction.
      this.#armTimerA(intervalMs * 2);
      this.#environment.send(this.#request);
    });
  }

  receive(response: SipResponse, source: Hop): void {
    const { status } = response;
    if (this.#state === "calling" || this.#state === "proceeding") {
      this.#retransmit?.cancel();
      this.#timeout?.cancel();
      if (status < 200) this.#state = "proceeding";
      else if (status < 300) this.#enterAccepted();
      else this.#enterCompleted(response);
      this.#user.onResponse(response, source);
    } else if (this.#state === "accepted") {
      // RFC 6026 §7.2: pass on every 2xx, because each may come from another fork and needs its ACK.
      if (status >= 200 && status < 300) this.#user.onResponse(response, source);
    } else if (this.#state === "completed" && status >= 300 && this.#ack !== undefined) {
      // §17.1.1.2: a repeated final response means that the ACK was lost.
      this.#environment.send(this.#ack);
    }
  }

  #enterAccepted(): void {
    this.#state = "accepted";
    // Timer M
    this.#timeout = this.#environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  #enterCompleted(response: SipResponse): void {
    this.#state = "completed";
    this.#ack = this.#buildAck(response);
    this.#environment.send(this.#ack);
    // Timer D
    const delayMs = this.#environment.isReliable ? 0 : TIMER_D_MS;
    this.#timeout = this.#environment.clock.schedule(delayMs, () => this.terminate());
  }

  get isWaitingForFinal(): boolean {
    return this.#state === "calling" || this.#state === "proceeding";
  }

  /** Handles timer B or a transport error (§17.1.4). */
  fail(failure: "timeout" | "transport"): void {
    if (!this.isWaitingForFinal) return;
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
