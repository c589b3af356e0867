import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";

const REFRESH_INTERVAL_MS = 10 * 60_000;
/** Interval after a failure. */
const RETRY_INTERVAL_MS = 30_000;
const LOAD_TIMEOUT_MS = 10_000;

interface RemoteListOptions<T> {
  /** What is listed, for the log. */
  name: string;
  load: (signal: AbortSignal) => Promise<readonly T[]>;
  clock: Clock;
  logger: Logger;
}

/** A list that a vendor keeps. It is refreshed in the background when it is used; a failure keeps the last one. */
export class RemoteList<T> {
  readonly #options: RemoteListOptions<T>;
  readonly #closing = new AbortController();
  #items: readonly T[] | undefined;
  #dueAtMs = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(options: RemoteListOptions<T>) {
    this.#options = options;
  }

  /** The last list; waits for the first one. `undefined` if the vendor has never answered. */
  async get(): Promise<readonly T[] | undefined> {
    const isDue = this.#options.clock.now().getTime() >= this.#dueAtMs;
    if (isDue && !this.#closing.signal.aborted) void this.refresh();
    if (this.#items === undefined) await this.#loading;
    return this.#items;
  }

  /** Loads the list. Never rejects. */
  async refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    await this.#loading;
  }

  /** Aborts loading. Idempotent. */
  close(): void {
    this.#closing.abort();
  }

  async #load(): Promise<void> {
    const { name, load, clock, logger } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LOAD_TIMEOUT_MS)]);
    try {
      this.#items = await load(signal);
      this.#dueAtMs = clock.now().getTime() + REFRESH_INTERVAL_MS;
    } catch (error) {
      this.#dueAtMs = clock.now().getTime() + RETRY_INTERVAL_MS;
      if (!this.#closing.signal.aborted)
        logger.warn(`the list of ${name} could not be refreshed: ${errorMessage(error)}`);
    }
  }
}
