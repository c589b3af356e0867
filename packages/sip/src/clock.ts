/** Where every timer of the stack comes from, so that tests can drive time. */
export interface Clock {
  /** Milliseconds that never go back. */
  nowMs(): number;
  /** Calls back once after `delayMs`. */
  schedule(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  /** Idempotent. */
  cancel(): void;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  schedule(delayMs, callback) {
    const timeout = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timeout) };
  },
};
