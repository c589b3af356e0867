/**
 * Priority of a job. `turn`: a caller is waiting for it in silence (the text of a finished utterance, the judgment of a
 * pause, the first clause of an answer). `partial`: a call needs it soon (a text that may still change, later clauses).
 * `preparation`: work in advance, which runs only while no call needs this process.
 */
export type JobPriority = "turn" | "partial" | "preparation";

/** All priorities, highest first. */
export const jobPriorities: readonly JobPriority[] = ["turn", "partial", "preparation"];

export interface JobLoadOptions {
  /** Receives how long each job waited before it started. */
  onStart?: (priority: JobPriority, waitedMs: number) => void;
  /** Time without work for calls, and since the models were loaded, after which preparation may run. Default 1000. */
  quietMs?: number;
  /** Maximum time that preparation waits for that, because a node may never be quiet. Default 60,000. */
  patienceMs?: number;
}

/** The load of all job queues of one process, which share its processor. */
export class JobLoad {
  readonly #onStart: JobLoadOptions["onStart"];
  readonly #quietMs: number;
  readonly #patienceMs: number;
  /** Running and waiting jobs of calls. */
  #callJobs = 0;
  /** A call may have waited for the models: preparation that starts at once would delay its greeting. */
  #lastCallJobAt = performance.now();

  constructor({ onStart, quietMs = 1000, patienceMs = 60_000 }: JobLoadOptions = {}) {
    this.#patienceMs = patienceMs;
    this.#onStart = onStart;
    this.#quietMs = quietMs;
  }

  add(priority: JobPriority): void {
    if (priority !== "preparation") this.#callJobs += 1;
  }

  remove(priority: JobPriority): void {
    if (priority === "preparation") return;
    this.#callJobs -= 1;
    this.#lastCallJobAt = performance.now();
  }

  noteStart(priority: JobPriority, waitedMs: number): void {
    this.#onStart?.(priority, waitedMs);
  }

  /** Whether no call has needed this process for `quietMs`. */
  get isQuiet(): boolean {
    return this.#quietInMs() === 0;
  }

  /** Time at which preparation has waited long enough, on the clock of `performance.now`. */
  get overdueAt(): number {
    return performance.now() + this.#patienceMs;
  }

  /** Resolves once the process is quiet or `untilAt` is reached; rejects with the signal's reason when aborted. */
  async whenQuiet(untilAt: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = Math.min(this.#quietInMs(), untilAt - performance.now());
      if (waitMs <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, waitMs);
      const stop = (): void => resolve();
      signal.addEventListener("abort", stop, { once: true });
      await promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      signal.throwIfAborted();
    }
  }

  #quietInMs(): number {
    if (this.#callJobs > 0) return this.#quietMs;
    return Math.max(0, Math.ceil(this.#lastCallJobAt + this.#quietMs - performance.now()));
  }
}
