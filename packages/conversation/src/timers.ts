/** One-shot timers, injectable so that a test decides what time it is. */
export interface Timers {
  /** Calls back once after `delayMs`, unless the returned function is called first. */
  set(delayMs: number, callback: () => void): () => void;
}

export const systemTimers: Timers = {
  set(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
