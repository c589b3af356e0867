import { ProviderError } from "@parley/conversation";
import { jobPriorities, JobLoad, type JobPriority } from "./job-load.ts";

export interface JobQueueOptions {
  /** Name of the engine in errors, e.g. `local/moonshine-base`. */
  provider: string;
  /** Maximum number of waiting jobs; further ones are refused as overloaded. */
  maxWaiting: number;
  /** Shared by the queues of a process. */
  load?: JobLoad;
}

export interface JobOptions {
  /** Jobs of a higher priority run first; equal ones in order of arrival. */
  priority: JobPriority;
  /** A new job of a stream drops its waiting replaceable jobs. */
  streamId?: string;
  isReplaceable?: boolean;
  /** Aborting drops the job if it is still waiting. */
  signal: AbortSignal;
}

/** Lets more urgent jobs run first; awaited by a long job between its steps. */
export type GiveWay = () => Promise<void>;

interface WaitingJob extends JobOptions {
  start: () => void;
  drop: (reason: unknown) => void;
}

/**
 * Runs an engine's jobs one after the other. One job saturates the engine's threads, so that a concurrent second one
 * would only delay it.
 */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #load: JobLoad;
  readonly #waiting: WaitingJob[] = [];
  #isBusy = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
    this.#load = options.load ?? new JobLoad();
  }

  /**
   * @param work Receives `giveWay`, which a job of the lowest priority awaits between its steps.
   * @throws {ProviderError} `overloaded` or `superseded`; the signal's reason when aborted before the start.
   */
  async run<T>(options: JobOptions, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    const { priority, streamId, signal } = options;
    if (streamId !== undefined) this.#supersede(streamId);
    const arrivedAt = performance.now();
    let hasEngine = false;
    const giveWay = async (): Promise<void> => {
      if (priority !== "preparation" || this.#load.isQuiet) return;
      hasEngine = false;
      this.#startNext();
      await this.#acquire(options);
      hasEngine = true;
    };
    this.#load.add(priority);
    try {
      if (this.#isBusy || priority === "preparation") await this.#acquire(options);
      this.#isBusy = true;
      hasEngine = true;
      signal.throwIfAborted();
      this.#load.noteStart(priority, performance.now() - arrivedAt);
      return await work(giveWay);
    } finally {
      if (hasEngine) this.#startNext();
      this.#load.remove(priority);
    }
  }

  /** Resolves when the job owns the engine. */
  async #acquire(options: JobOptions): Promise<void> {
    const { priority, signal } = options;
    const { overdueAt } = this.#load;
    for (;;) {
      if (priority === "preparation") await this.#load.whenQuiet(overdueAt, signal);
      if (this.#isBusy) await this.#wait(options);
      this.#isBusy = true;
      if (priority !== "preparation" || this.#load.isQuiet || performance.now() >= overdueAt) return;
      this.#startNext();
    }
  }

  async #wait(options: JobOptions): Promise<void> {
    if (this.#waiting.length >= this.#options.maxWaiting) throw this.#refusal("overloaded", true);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => job.drop(options.signal.reason);
    const job: WaitingJob = { ...options, start: resolve, drop: (reason) => this.#drop(job, reason, reject) };
    options.signal.addEventListener("abort", onAbort, { once: true });
    const rank = jobPriorities.indexOf(options.priority);
    const behind = this.#waiting.findIndex((each) => jobPriorities.indexOf(each.priority) > rank);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, job);
    try {
      await promise;
    } finally {
      options.signal.removeEventListener("abort", onAbort);
    }
  }

  #drop(job: WaitingJob, reason: unknown, reject: (reason: unknown) => void): void {
    const index = this.#waiting.indexOf(job);
    if (index >= 0) this.#waiting.splice(index, 1);
    reject(reason);
  }

  #supersede(streamId: string): void {
    const older = this.#waiting.filter((job) => job.streamId === streamId && job.isReplaceable === true);
    for (const job of older) job.drop(this.#refusal("superseded", false));
  }

  /** The engine stays busy while it is passed on, so that no new job takes it in between. */
  #startNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else next.start();
  }

  #refusal(message: string, isRetryable: boolean): ProviderError {
    return new ProviderError({ provider: this.#options.provider, kind: "status", message, isRetryable });
  }
}
