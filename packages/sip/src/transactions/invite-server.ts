import type { Timer } from "../clock.ts";
import type { SipRequest } from "../messages/message.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { RetainedMessage } from "./retained-message.ts";
import { T4_MS, T1_MS, T2_MS, TIMEOUT_MS } from "./timers.ts";

type State = "proceeding" | "accepted" | "completed" | "confirmed" | "terminated";

/**
 * INVITE server transaction (RFC 3261 §17.2.1, with the Accepted state of RFC 6026 §7.1). It outlives its call by
 * half a minute, so it retains only the data needed for that time.
 */
export class InviteServerTransaction {
  #state: State = "proceeding";
  /** The tag of every response (§8.2.6.2). */
  readonly localTag: string;
  /** Called for a CANCEL before a final response (§9.2). */
  onCancel: (() => void) | undefined;
  /** Called for an ACK in Accepted, which belongs to the user (RFC 6026 §7.1). */
  onAck: ((ack: SipRequest) => void) | undefined;
  readonly #environment: TransactionEnvironment;
  #lastResponse: RetainedMessage | undefined;
  #retransmit: Timer | undefined;
  #timeout: Timer | undefined;

  constructor(environment: TransactionEnvironment, localTag: string) {
    this.#environment = environment;
    this.localTag = localTag;
  }

  get isWaitingForFinal(): boolean {
    return this.#state === "proceeding";
  }

  /** Sends a response. Accepted sends only the 2xx repeated by the user; later states send nothing new. */
  respond(status: number, data: Buffer): void {
    if (this.#state === "accepted") {
      if (status >= 200 && status < 300) this.#environment.send(data);
      return;
    }
    if (this.#state !== "proceeding") return;
    this.#lastResponse = new RetainedMessage(data);
    this.#environment.send(data);
    if (status >= 300) this.#enterCompleted(this.#lastResponse);
    else if (status >= 200) this.#enterAccepted();
  }

  #enterAccepted(): void {
    this.#state = "accepted";
    this.onCancel = undefined;
    // The user repeats its 2xx itself.
    this.#lastResponse = undefined;
    // Timer L
    this.#timeout = this.#environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  #enterCompleted(response: RetainedMessage): void {
    this.#state = "completed";
    this.onCancel = undefined;
    this.onAck = undefined;
    if (!this.#environment.isReliable) this.#armTimerG(response, T1_MS);
    // Timer H
    this.#timeout = this.#environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  #armTimerG(response: RetainedMessage, intervalMs: number): void {
    this.#retransmit = this.#environment.clock.schedule(intervalMs, () => {
      this.#environment.send(response.data);
      this.#armTimerG(response, Math.min(intervalMs * 2, T2_MS));
    });
  }

  /** Handles a repeated INVITE, or an ACK that matched this transaction. */
  receive(request: SipRequest): void {
    if (request.method === "ACK") this.#receiveAck(request);
    else if (
      (this.#state === "proceeding" || this.#state === "completed") &&
      this.#lastResponse !== undefined
    ) {
      this.#environment.send(this.#lastResponse.data);
    }
  }

  #receiveAck(ack: SipRequest): void {
    if (this.#state === "accepted") this.onAck?.(ack);
    if (this.#state !== "completed") return;
    this.#state = "confirmed";
    this.#lastResponse = undefined;
    this.#retransmit?.cancel();
    this.#timeout?.cancel();
    // Timer I
    const delayMs = this.#environment.isReliable ? 0 : T4_MS;
    this.#timeout = this.#environment.clock.schedule(delayMs, () => this.terminate());
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
