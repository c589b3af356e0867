import type { Timer } from "../clock.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { RetainedMessage } from "./retained-message.ts";
import { TIMEOUT_MS } from "./timers.ts";

type State = "trying" | "proceeding" | "completed" | "terminated";

/** Server transaction for all methods except INVITE and ACK (RFC 3261 §17.2.2). */
export class NonInviteServerTransaction {
  #state: State = "trying";
  readonly #environment: TransactionEnvironment;
  #lastResponse: RetainedMessage | undefined;
  #timeout: Timer | undefined;

  constructor(environment: TransactionEnvironment) {
    this.#environment = environment;
    // The user must answer within the client's timer F; after that the request is dropped.
    this.#timeout = environment.clock.schedule(TIMEOUT_MS, () => this.terminate());
  }

  get isWaitingForFinal(): boolean {
    return this.#state === "trying" || this.#state === "proceeding";
  }

  respond(status: number, data: Buffer): void {
    if (!this.isWaitingForFinal) return;
    this.#lastResponse = new RetainedMessage(data);
    this.#environment.send(data);
    if (status < 200) {
      this.#state = "proceeding";
      return;
    }
    this.#state = "completed";
    this.#timeout?.cancel();
    // Timer J
    const delayMs = this.#environment.isReliable ? 0 : TIMEOUT_MS;
    this.#timeout = this.#environment.clock.schedule(delayMs, () => this.terminate());
  }

  /** Handles a repeated request: repeats the last response, or does nothing in Trying. */
  receive(): void {
    if (this.#lastResponse !== undefined && this.#state !== "terminated")
      this.#environment.send(this.#lastResponse.data);
  }

  /** Ends the transaction without notifying its user. Idempotent. */
  terminate(): void {
    if (this.#state === "terminated") return;
    this.#state = "terminated";
    this.#timeout?.cancel();
    this.#environment.onTerminated();
  }
}
