import type { Queries } from "./database.ts";

export type TransactionListener<E> = (transaction: Queries, event: E) => Promise<void>;

/**
 * An event of a feature that other features subscribe to. Listeners run in the transaction that causes the event, in the
 * order of their subscription: they commit with it, and a listener that rejects rolls it back.
 */
export class TransactionEvent<E> {
  readonly #listeners: TransactionListener<E>[] = [];

  subscribe(listener: TransactionListener<E>): void {
    this.#listeners.push(listener);
  }

  async emit(transaction: Queries, event: E): Promise<void> {
    for (const listener of this.#listeners) await listener(transaction, event);
  }
}
