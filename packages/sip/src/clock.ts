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

/** A timer that fires this late fires after a stall of the event loop. */
const STALL_MS = 50;

/**
 * The real time. A timer that is overdue because the event loop stalled fires after what arrived during the stall has been
 * read: otherwise an answer that came in time, and waits in a socket, would count as missing.
 */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  schedule(delayMs, callback) {
    const dueMs = performance.now() + delayMs;
    let immediate: NodeJS.Immediate | undefined;
    const timeout = setTimeout(() => {
      if (performance.now() - dueMs < STALL_MS) callback();
      // Between timers and immediates the event loop polls its sockets.
      else immediate = setImmediate(callback);
    }, delayMs);
    return {
      cancel: () => {
        clearTimeout(timeout);
        clearImmediate(immediate);
      },
    };
  },
};

/** A clock whose callbacks do not throw: a fault in one dialog's timer must not end the process with all others. */
export function guardClock(clock: Clock, onFault: (error: unknown) => void): Clock {
  return {
    nowMs: () => clock.nowMs(),
    schedule: (delayMs, callback) =>
      clock.schedule(delayMs, () => {
        try {
          callback();
        } catch (error) {
          onFault(error);
        }
      }),
  };
}
