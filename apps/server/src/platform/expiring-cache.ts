/** Cache of the most recently stored values, each for a limited time. */
export class ExpiringCache<V> {
  readonly #lifetimeMs: number;
  readonly #maxSize: number;
  readonly #entries = new Map<string, { value: V; staleAtMs: number }>();

  constructor({ lifetimeMs, maxSize }: { lifetimeMs: number; maxSize: number }) {
    this.#lifetimeMs = lifetimeMs;
    this.#maxSize = maxSize;
  }

  get(key: string, nowMs: number): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.staleAtMs > nowMs) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, nowMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, staleAtMs: nowMs + this.#lifetimeMs });
    // The first entry is the oldest.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxSize && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
