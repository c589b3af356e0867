import { ProviderError } from "../providers/provider-error.ts";
import type { Timers } from "../timers.ts";

/**
 * A wait that ends by its owner's signal or by its own timer, which is restarted when something arrives. `close()`
 * releases the timer and the listener.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timers: Timers;
  readonly #owner: AbortSignal;
  readonly #onOwnerAbort = (): void => this.#controller.abort(this.#owner.reason);
  #cancelTimer: (() => void) | undefined;

  constructor(owner: AbortSignal, timers: Timers) {
    this.#owner = owner;
    this.#timers = timers;
    if (owner.aborted) this.#onOwnerAbort();
    else owner.addEventListener("abort", this.#onOwnerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts with `error` in `delayMs`; replaces the timer set before. */
  arm(delayMs: number, error: () => Error): void {
    this.disarm();
    this.#cancelTimer = this.#timers.set(delayMs, () => this.#controller.abort(error()));
  }

  /** Settles with the promise, or rejects with the abort reason if the abort comes first. */
  async race<T>(promise: PromiseLike<T>): Promise<T> {
    const { signal } = this.#controller;
    if (signal.aborted) {
      // Its rejection, often by the same signal, is handled although it is not awaited.
      promise.then(undefined, () => {});
      signal.throwIfAborted();
    }
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([promise, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  close(): void {
    this.disarm();
    this.#owner.removeEventListener("abort", this.#onOwnerAbort);
  }
}

export function timeoutError(provider: string, what: string, afterMs: number): ProviderError {
  return new ProviderError({
    provider,
    kind: "timeout",
    message: `${what} within ${afterMs} ms`,
    isRetryable: true,
  });
}
