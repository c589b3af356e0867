/**
 * Candidates to send to the server: queued until it has the offer, then sent in as few requests as possible. One
 * request at a time, so that they arrive in order.
 */
export class Trickle {
  #waiting: string[] = [];
  #isComplete = false;
  #isCompletionSent = false;
  #isSending = false;
  #send: ((candidates: readonly string[], isComplete: boolean) => Promise<void>) | undefined;

  /** Adds a candidate; `null` if there are no more. */
  add(candidate: string | null): void {
    if (candidate === null) this.#isComplete = true;
    else this.#waiting.push(candidate);
    void this.#flush();
  }

  /**
   * Starts sending. Errors of `send` are ignored: the connection may succeed without these candidates, or is
   * detected as lost.
   */
  start(send: (candidates: readonly string[], isComplete: boolean) => Promise<void>): void {
    this.#send = send;
    void this.#flush();
  }

  stop(): void {
    this.#send = undefined;
    this.#waiting = [];
  }

  async #flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (
      this.#send !== undefined &&
      (this.#waiting.length > 0 || this.#isComplete !== this.#isCompletionSent)
    ) {
      const candidates = this.#waiting.splice(0);
      this.#isCompletionSent = this.#isComplete;
      await this.#send(candidates, this.#isComplete).catch(() => {});
    }
    this.#isSending = false;
  }
}
