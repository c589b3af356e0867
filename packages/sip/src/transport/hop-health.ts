import type { Clock } from "../clock.ts";
import type { Hop } from "./transport.ts";

/** More servers than any deployment has; the oldest entries make room. */
const MAX_HOPS = 1_000;

/** Remembers for a while which hops failed, so that requests try others first (RFC 3263 §4.3). */
export class HopHealth {
  readonly #clock: Clock;
  readonly #failedUntilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The hop did not answer, or asked to be left alone, for this long. */
  avoid(hop: Hop, durationMs: number): void {
    const key = keyOf(hop);
    this.#failedUntilMs.delete(key);
    this.#failedUntilMs.set(key, this.#clock.nowMs() + durationMs);
    const [oldest] = this.#failedUntilMs.keys();
    if (this.#failedUntilMs.size > MAX_HOPS && oldest !== undefined) this.#failedUntilMs.delete(oldest);
  }

  isAvoided(hop: Hop): boolean {
    return (this.#failedUntilMs.get(keyOf(hop)) ?? 0) > this.#clock.nowMs();
  }

  /** The same hops, those that failed lately last. */
  order(hops: readonly Hop[]): Hop[] {
    return [...hops].sort((a, b) => Number(this.isAvoided(a)) - Number(this.isAvoided(b)));
  }
}

function keyOf({ protocol, address, port }: Hop): string {
  return `${protocol} ${address} ${port}`;
}
