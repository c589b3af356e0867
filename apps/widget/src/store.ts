/** A value that changes, and its listeners. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Applies a change. Listeners are called if it returns another value. */
  update(change: (value: T) => T): void {
    const next = change(this.#value);
    if (next === this.#value) return;
    this.#value = next;
    for (const listener of this.#listeners) listener(next);
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
