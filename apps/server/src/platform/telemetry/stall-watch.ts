const INTERVAL_MS = 20;
/** What is shorter is the timer's own imprecision. */
const MIN_STALL_MS = 5;

/** Both in milliseconds, from any beginning. */
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
 * Measures how long the event loop was kept from its timers by the process's own work. On a busy machine a timer is late
 * without that, as other processes run: of its lateness counts at most the processor time that the thread had meanwhile.
 * A wait that uses no processor (a synchronous read of a slow disk) therefore does not count.
 */
export class StallWatch {
  readonly #onStall: (ms: number) => void;
  readonly #clocks: StallClocks;
  readonly #timer: NodeJS.Timeout;
  #lastMs: number;
  #lastCpuMs: number;

  /** @param onStall Is called with the length of each stall of 5 ms or more. */
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
