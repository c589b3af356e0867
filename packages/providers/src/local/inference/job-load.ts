/**
 * How much a job matters. `turn`: a caller waits for it in silence (the text of a finished utterance, the judgement of
 * a pause, the first clause of an answer). `partial`: what a call needs soon (a text that may still change, the clauses
 * after the first). `preparation`: made ahead of need; runs only while no call needs anything of this process.
 */
export type JobPriority = "turn" | "partial" | "preparation";

/** In the order in which they are served. */
export const jobPriorities: readonly JobPriority[] = ["turn", "partial", "preparation"];

export interface JobLoadOptions {
  /** Receives how long each job waited before it started. */
  onStart?: (priority: JobPriority, waitedMs: number) => void;
  /** Calls must have needed nothing for so long before something is prepared. Default 1000. */
  quietMs?: number;
  /** What is prepared waits no longer for quiet: a node may never be quiet. Default 60,000. */
  patienceMs?: number;
}

/** The jobs of all queues of one process, which share its processor. */
export class JobLoad {
  readonly #onStart: JobLoadOptions["onStart"];
  readonly #quietMs: number;
  readonly #patienceMs: number;
  /** Jobs of calls that run or wait. */
  #callJobs = 0;
  #lastCallJobAt = -Infinity;

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

  /** False while a call needs something, and shortly after. */
  get isQuiet(): boolean {
    return this.#quietInMs() === 0;
  }

  /** When what is prepared has waited long enough, on the clock of `performance.now`. */
  get overdueAt(): number {
    return performance.now() + this.#patienceMs;
  }

  /** Resolves once no call needs anything or `untilAt` is reached; rejects with the signal's reason when aborted. */
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
