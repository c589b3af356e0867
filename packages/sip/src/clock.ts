/** Source of time and timers for the whole stack, so that tests can control time. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  nowMs(): number;
  /** Calls `callback` once after `delayMs`. */
  schedule(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  /** Idempotent. */
  cancel(): void;
}

/** A timer late by this much fires after a stall of the event loop. */
const STALL_MS = 50;

/**
 * Real time. After a stall of the event loop, an overdue timer fires only after sockets were read. Otherwise an
 * answer that arrived in time but is unread would count as missing.
 */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  schedule(delayMs, callback) {
    const dueMs = performance.now() + delayMs;
    let immediate: NodeJS.Immediate | undefined;
    const timeout = setTimeout(() => {
      if (performance.now() - dueMs < STALL_MS) callback();
      // The event loop polls its sockets between timers and immediates.
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

/** A clock that reports errors thrown by callbacks: an error in one dialog's timer must not end the process. */
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
