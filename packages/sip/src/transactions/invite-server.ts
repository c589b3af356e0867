import type { Timer } from "../clock.ts";
import type { SipRequest } from "../messages/message.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { T4_MS, T1_MS, T2_MS, TIMEOUT_MS } from "./timers.ts";

type State = "proceeding" | "accepted" | "completed" | "confirmed" | "terminated";

/** INVITE server transaction (RFC 3261 §17.2.1, with the Accepted state of RFC 6026 §7.1). */
export class InviteServerTransaction {
  #state: State = "proceeding";
  readonly #environment: TransactionEnvironment;
  readonly #onAck: (ack: SipRequest) => void;
  #lastResponse: Buffer | undefined;
  #retransmit: Timer | undefined;
  #timeout: Timer | undefined;

  /** @param onAck gets an ACK that reaches the transaction in Accepted: it belongs to the user (RFC 6026 §7.1). */
  constructor(environment: TransactionEnvironment, onAck: (ack: SipRequest) => void) {
    this.#environment = environment;
    this.#onAck = onAck;
  }

  get isWaitingForFinal(): boolean {
    return this.#state === "proceeding";
  }

  /** Sends a response; in Accepted only the 2xx that the user repeats, later states send nothing new. */
  respond(status: number, data: Buffer): void {
    if (this.#state === "accepted") {
      if (status >= 200 && status < 300) this.#environment.send(data);
      return;
    }
    if (this.#state !== "proceeding") return;
    this.#lastResponse = data;
    this.#environment.send(data);
    if (status >= 300) this.#enterCompleted(data);
    else if (status >= 200) this.#enterAccepted();
  }

  #enterAccepted(): void {
    this.#state = "accepted";
    // Timer L
    this.#timeout = this.#environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  #enterCompleted(data: Buffer): void {
    this.#state = "completed";
    if (!this.#environment.isReliable) this.#armTimerG(data, T1_MS);
    // Timer H
    this.#timeout = this.#environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  #armTimerG(data: Buffer, intervalMs: number): void {
    this.#retransmit = this.#environment.clock.schedule(intervalMs, () => {
      this.#environment.send(data);
      this.#armTimerG(data, Math.min(intervalMs * 2, T2_MS));
    });
  }

  /** The INVITE again, or an ACK that matched this transaction. */
  receive(request: SipRequest): void {
    if (request.method === "ACK") this.#receiveAck(request);
    else if (
      (this.#state === "proceeding" || this.#state === "completed") &&
      this.#lastResponse !== undefined
    ) {
      this.#environment.send(this.#lastResponse);
    }
  }

  #receiveAck(ack: SipRequest): void {
    if (this.#state === "accepted") this.#onAck(ack);
    if (this.#state !== "completed") return;
    this.#state = "confirmed";
    this.#retransmit?.cancel();
    this.#timeout?.cancel();
    // Timer I
    const delayMs = this.#environment.isReliable ? 0 : T4_MS;
    this.#timeout = this.#environment.clock.schedule(delayMs, () => this.terminate());
  }

  /** Ends the transaction without a word to its user. Idempotent. */
  terminate(): void {
    if (this.#state === "terminated") return;
    this.#state = "terminated";
    this.#retransmit?.cancel();
    this.#timeout?.cancel();
    this.#environment.onTerminated();
  }
}
