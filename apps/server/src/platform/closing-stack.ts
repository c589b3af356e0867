/** Closes started resources once, in the opposite order of their start. */
export class ClosingStack {
  readonly #closers: (() => Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  /** Adds a resource. If closing has begun, it is closed at once. */
  add(close: () => Promise<void>): void {
    if (this.#closing === undefined) this.#closers.push(close);
    else this.#closing = this.#closing.then(close);
  }

  /** Closes all resources even if some fail; then rejects with the first failure. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
