import { ProviderError } from "@parley/conversation";

export interface JobQueueOptions {
  /** As errors name the engine, e.g. `local/moonshine-base`. */
  provider: string;
  /** Jobs that may wait; one more is refused as overloaded. */
  maxWaiting: number;
}

export interface JobOptions {
  /** `final` jobs run before `partial` ones, each kind in order of arrival. */
  urgency: "final" | "partial";
  /** A new job of a stream drops the partials of it that still wait. */
  streamId?: string;
  /** Aborting drops the job where it still waits. */
  signal: AbortSignal;
}

interface WaitingJob extends JobOptions {
  start: () => void;
  drop: (reason: unknown) => void;
}

/**
 * Runs an engine's jobs one after another. An engine saturates its threads with one job, so that a second at the
 * same time would only delay the first.
 */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #waiting: WaitingJob[] = [];
  #isBusy = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /** @throws {ProviderError} `overloaded` or `superseded`; the signal's reason when aborted before the start. */
  async run<T>(options: JobOptions, work: () => Promise<T>): Promise<T> {
    if (options.streamId !== undefined) this.#supersede(options.streamId);
    if (this.#isBusy) await this.#wait(options);
    this.#isBusy = true;
    try {
      options.signal.throwIfAborted();
      return await work();
    } finally {
      this.#startNext();
    }
  }

  async #wait(options: JobOptions): Promise<void> {
    if (this.#waiting.length >= this.#options.maxWaiting) throw this.#refusal("overloaded", true);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => job.drop(options.signal.reason);
    const job: WaitingJob = { ...options, start: resolve, drop: (reason) => this.#drop(job, reason, reject) };
    options.signal.addEventListener("abort", onAbort, { once: true });
    const firstPartial = this.#waiting.findIndex((each) => each.urgency === "partial");
    if (options.urgency === "final" && firstPartial >= 0) this.#waiting.splice(firstPartial, 0, job);
    else this.#waiting.push(job);
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
    const older = this.#waiting.filter((job) => job.streamId === streamId && job.urgency === "partial");
    for (const job of older) job.drop(this.#refusal("superseded", false));
  }

  /** The engine stays busy while it is handed on, so that no newcomer slips in between. */
  #startNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else next.start();
  }

  #refusal(message: string, isRetryable: boolean): ProviderError {
    return new ProviderError({ provider: this.#options.provider, kind: "status", message, isRetryable });
  }
}
