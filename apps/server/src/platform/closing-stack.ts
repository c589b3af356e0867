/** What was started, to be closed in the opposite order, once. */
export class ClosingStack {
  readonly #closers: (() => Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  /** What starts after the end has begun is closed at once. */
  add(close: () => Promise<void>): void {
    if (this.#closing === undefined) this.#closers.push(close);
    else this.#closing = this.#closing.then(close);
  }

  /** Closes everything even where some of it fails; then rejects with the first failure. Idempotent. */
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
