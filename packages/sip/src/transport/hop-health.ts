import type { Clock } from "../clock.ts";
import type { Hop } from "./transport.ts";

/** More servers than a deployment has; the oldest entries are evicted. */
const MAX_HOPS = 1_000;

/** Temporary record of failed hops, so that requests try others first (RFC 3263 §4.3). */
export class HopHealth {
  readonly #clock: Clock;
  readonly #failedUntilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Avoids a hop that failed, or that requested a pause, for this long. */
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

  /** The same hops, with recently failed ones last. */
  order(hops: readonly Hop[]): Hop[] {
    return [...hops].sort((a, b) => Number(this.isAvoided(a)) - Number(this.isAvoided(b)));
  }
}

function keyOf({ protocol, address, port }: Hop): string {
  return `${protocol} ${address} ${port}`;
}
