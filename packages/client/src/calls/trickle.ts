/**
 * Candidates on their way to the server: kept until it knows the offer, then sent in as few requests as their coming
 * allows. One request at a time, so that they arrive in order.
 */
export class Trickle {
  #waiting: string[] = [];
  #isComplete = false;
  #isCompletionSent = false;
  #isSending = false;
  #send: ((candidates: readonly string[], isComplete: boolean) => Promise<void>) | undefined;

  /** `null`: there are no more. */
  add(candidate: string | null): void {
    if (candidate === null) this.#isComplete = true;
    else this.#waiting.push(candidate);
    void this.#flush();
  }

  /** What `send` throws is passed over: the connection may come about without these candidates, and else is found lost. */
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
