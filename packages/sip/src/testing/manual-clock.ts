import type { Clock, Timer } from "../clock.ts";

interface Entry extends Timer {
  dueMs: number;
  order: number;
  callback: () => void;
}

/** A clock that moves only when told to, running what falls due in order. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  nowMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const entry: Entry = {
      dueMs: this.#nowMs + delayMs,
      order: this.#order++,
      callback,
      cancel: () => this.#entries.delete(entry),
    };
    this.#entries.add(entry);
    return entry;
  }

  get pendingCount(): number {
    return this.#entries.size;
  }

  /** Runs everything due within `durationMs`, letting promises settle between one timer and the next. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    await settle();
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#entries.delete(next);
      this.#nowMs = next.dueMs;
      next.callback();
      await settle();
    }
    this.#nowMs = endMs;
  }

  #next(endMs: number): Entry | undefined {
    let next: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.dueMs > endMs) continue;
      if (
        next === undefined ||
        entry.dueMs < next.dueMs ||
        (entry.dueMs === next.dueMs && entry.order < next.order)
      ) {
        next = entry;
      }
    }
    return next;
  }
}

/** Lets everything that waits on settled promises run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
