import { type Clock, systemClock } from "@parley/sip";

/** Maximum number of sources; the one unused for the longest time is removed first. */
const MAX_SOURCES = 10_000;

export interface SourceLimitOptions {
  /** Maximum number of events at once. */
  burst: number;
  /** Interval after which one more event is allowed. */
  intervalMs: number;
  clock?: Clock;
}

/** Token bucket per source address, bounded in memory. */
export class SourceLimit {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  /** By address; the most recently used address is last. */
  readonly #sources = new Map<string, { used: number; atMs: number }>();

  constructor({ burst, intervalMs, clock = systemClock }: SourceLimitOptions) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  /** Whether the address has used up its limit. */
  isReached(address: string): boolean {
    return this.#usedBy(address) > this.#burst - 1;
  }

  /** Consumes one token of the address. Returns `false` if none is left. */
  take(address: string): boolean {
    const used = this.#usedBy(address);
    if (used > this.#burst - 1) return false;
    this.#sources.delete(address);
    this.#sources.set(address, { used: used + 1, atMs: this.#clock.nowMs() });
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > MAX_SOURCES && oldest !== undefined) this.#sources.delete(oldest);
    return true;
  }

  #usedBy(address: string): number {
    const source = this.#sources.get(address);
    if (source === undefined) return 0;
    return Math.max(0, source.used - (this.#clock.nowMs() - source.atMs) / this.#intervalMs);
  }
}
