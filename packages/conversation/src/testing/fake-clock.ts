import { setImmediate } from "node:timers/promises";
import type { Timers } from "../timers.ts";

/** A clock that advances only by `advance`. */
export class FakeClock implements Timers {
  nowMs = 0;
  readonly #timers = new Set<{ dueMs: number; callback: () => void }>();

  set(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances the clock and runs the timers that are due, in order, with everything that follows from them. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.nowMs + durationMs;
    await setImmediate();
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.dueMs > untilMs) break;
      this.#timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.callback();
      await setImmediate();
    }
    this.nowMs = untilMs;
  }

  /** Number of set timers; 0 after the end of a call. */
  get pendingCount(): number {
    return this.#timers.size;
  }

  #earliest(): { dueMs: number; callback: () => void } | undefined {
    let earliest: { dueMs: number; callback: () => void } | undefined;
    for (const timer of this.#timers)
      if (earliest === undefined || timer.dueMs < earliest.dueMs) earliest = timer;
    return earliest;
  }
}
