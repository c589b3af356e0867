import type { Clock, Timer } from "../clock.ts";

interface Entry extends Timer {
  dueMs: number;
  /** Forgotten when canceled, so that tests of memory do not count what only a canceled timer holds. */
  callback: (() => void) | undefined;
}

/** A clock that moves only through {@link advance}, which runs due timers in order. */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #entries = new Set<Entry>();
  /** Latest first; canceled entries remain until they are due. */
  readonly #queue: Entry[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const entry: Entry = {
      dueMs: this.#nowMs + delayMs,
      callback,
      cancel: () => {
        this.#entries.delete(entry);
        entry.callback = undefined;
      },
    };
    this.#entries.add(entry);
    this.#enqueue(entry);
    return entry;
  }

  get pendingCount(): number {
    return this.#entries.size;
  }

  /** Runs everything due within `durationMs`; promises settle before the next timer runs. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    let isSettled = false;
    for (;;) {
      const next = this.#peek(endMs);
      if (!isSettled && (next === undefined || next.dueMs > this.#nowMs)) {
        // Promise callbacks may schedule or cancel later timers.
        await settle();
        isSettled = true;
      } else if (next === undefined) break;
      else {
        isSettled = false;
        this.#entries.delete(next);
        this.#nowMs = next.dueMs;
        next.callback?.();
      }
    }
    this.#nowMs = endMs;
  }

  #enqueue(entry: Entry): void {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#queue[middle]?.dueMs ?? 0) > entry.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, entry);
  }

  #peek(endMs: number): Entry | undefined {
    for (;;) {
      const next = this.#queue.at(-1);
      if (next === undefined || next.dueMs > endMs) return undefined;
      if (this.#entries.has(next)) return next;
      this.#queue.pop();
    }
  }
}

/** Resolves after everything that waits for settled promises has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
