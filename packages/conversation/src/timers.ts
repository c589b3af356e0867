/** One-shot timers, injectable so that tests control time. */
export interface Timers {
  /** Calls back once after `delayMs`. The returned function cancels. */
  set(delayMs: number, callback: () => void): () => void;
}

export const systemTimers: Timers = {
  set(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
