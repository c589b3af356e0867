const INTERVAL_MS = 20;
/** Shorter delays are the timer's own imprecision. */
const MIN_STALL_MS = 5;

/** Both in milliseconds, with any zero point. */
export interface StallClocks {
  nowMs: () => number;
  /** Processor time of the thread that runs the event loop. */
  cpuMs: () => number;
}

const clocksOfThread: StallClocks = {
  nowMs: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Measures how long the process's own work blocked the event loop. On a busy machine a timer is also late because other
 * processes run, so its lateness counts at most up to the thread's processor time in that period. A wait without
 * processor time (a synchronous read of a slow disk) therefore does not count.
 */
export class StallWatch {
  readonly #onStall: (ms: number) => void;
  readonly #clocks: StallClocks;
  readonly #timer: NodeJS.Timeout;
  #lastMs: number;
  #lastCpuMs: number;

  /** @param onStall Called with the length of each stall of 5 ms or more. */
  constructor(onStall: (ms: number) => void, clocks: StallClocks = clocksOfThread) {
    this.#onStall = onStall;
    this.#clocks = clocks;
    this.#lastMs = clocks.nowMs();
    this.#lastCpuMs = clocks.cpuMs();
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const [nowMs, cpuMs] = [this.#clocks.nowMs(), this.#clocks.cpuMs()];
    const lateMs = nowMs - this.#lastMs - INTERVAL_MS;
    const stallMs = Math.min(lateMs, cpuMs - this.#lastCpuMs);
    this.#lastMs = nowMs;
    this.#lastCpuMs = cpuMs;
    if (stallMs >= MIN_STALL_MS) this.#onStall(stallMs);
  }
}
