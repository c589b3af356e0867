import { type Clock, systemClock } from "@parley/sip";

/** The source that was heard of longest ago makes room. */
const MAX_SOURCES = 10_000;

export interface SourceLimitOptions {
  /** How much a source may have at once. */
  burst: number;
  /** After this one more. */
  intervalMs: number;
  clock?: Clock;
}

/** A limit for each source address (a token bucket), bounded in memory. */
export class SourceLimit {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  /** By address, the one that used its limit last at the end. */
  readonly #sources = new Map<string, { used: number; atMs: number }>();

  constructor({ burst, intervalMs, clock = systemClock }: SourceLimitOptions) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  /** Whether nothing is left to this address now. */
  isReached(address: string): boolean {
    return this.#usedBy(address) > this.#burst - 1;
  }

  /** Uses one of what the address has; `false` if nothing is left. */
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
