import { randomUUID } from "node:crypto";

/** Requests to a call in a media process that have no answer yet, by id. */
export class PendingRequests<Answer> {
  readonly #otherwise: Answer;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #isOver = false;

  /** @param otherwise Answer if the call is over. */
  constructor(otherwise: Answer) {
    this.#otherwise = otherwise;
  }

  async ask(send: (id: string) => void): Promise<Answer> {
    if (this.#isOver) return this.#otherwise;
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#open.set(id, resolve);
    send(id);
    return await promise;
  }

  answer(id: string, answer: Answer): void {
    this.#open.get(id)?.(answer);
    this.#open.delete(id);
  }

  end(): void {
    this.#isOver = true;
    for (const resolve of this.#open.values()) resolve(this.#otherwise);
    this.#open.clear();
  }
}
