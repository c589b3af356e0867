import { randomUUID } from "node:crypto";

interface Waiting<Answer> {
  resolve: (answer: Answer) => void;
  timer: NodeJS.Timeout | undefined;
}

/** Requests to another process that have no answer yet, by id. */
export class PendingRequests<Answer> {
  readonly #otherwise: Answer;
  readonly #deadlineMs: number | undefined;
  readonly #open = new Map<string, Waiting<Answer>>();
  #isOver = false;

  /**
   * @param otherwise Answer if the other process gives none.
   * @param deadlineMs Time to answer; by default there is no limit.
   */
  constructor(otherwise: Answer, deadlineMs?: number) {
    this.#otherwise = otherwise;
    this.#deadlineMs = deadlineMs;
  }

  async ask(send: (id: string) => void): Promise<Answer> {
    if (this.#isOver) return this.#otherwise;
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const timer =
      this.#deadlineMs === undefined
        ? undefined
        : setTimeout(() => this.answer(id, this.#otherwise), this.#deadlineMs);
    this.#open.set(id, { resolve, timer });
    send(id);
    return await promise;
  }

  /** Has no effect if the request no longer waits. */
  answer(id: string, answer: Answer): void {
    const waiting = this.#open.get(id);
    if (waiting === undefined) return;
    this.#open.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve(answer);
  }

  /** Idempotent. */
  end(): void {
    this.#isOver = true;
    for (const id of this.#open.keys()) this.answer(id, this.#otherwise);
  }
}
