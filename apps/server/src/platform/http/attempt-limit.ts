interface AttemptLimitOptions {
  /** Maximum attempts at once. */
  burst: number;
  /** Interval after which one more attempt is allowed. */
  intervalMs: number;
  /** Default: the monotonic clock. */
  nowMs?: (() => number) | undefined;
}

/** The key whose last attempt is oldest is removed first. */
const MAX_KEYS = 10_000;

/** Limits attempts per key, such as an address or an account, on this node: a burst, then one in each interval. */
export class AttemptLimit {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #nowMs: () => number;
  /** Time at which a key has its full limit again. */
  readonly #clearAtMs = new Map<string, number>();

  constructor({ burst, intervalMs, nowMs = performance.now.bind(performance) }: AttemptLimitOptions) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#nowMs = nowMs;
  }

  /** Counts an attempt. Returns the milliseconds until the next one is allowed; 0 if this one is. */
  take(key: string): number {
    const now = this.#nowMs();
    const clearAt = Math.max(this.#clearAtMs.get(key) ?? 0, now);
    const waitMs = clearAt - now - (this.#burst - 1) * this.#intervalMs;
    this.#clearAtMs.delete(key);
    // An attempt that is rejected for the limit does not count, so that a waiting client recovers.
    this.#clearAtMs.set(key, waitMs > 0 ? clearAt : clearAt + this.#intervalMs);
    const [oldest] = this.#clearAtMs.keys();
    if (this.#clearAtMs.size > MAX_KEYS && oldest !== undefined) this.#clearAtMs.delete(oldest);
    return Math.max(0, waitMs);
  }

  /** Takes back an allowed attempt, because it succeeded. */
  giveBack(key: string): void {
    const clearAt = this.#clearAtMs.get(key);
    if (clearAt !== undefined) this.#clearAtMs.set(key, clearAt - this.#intervalMs);
  }
}
