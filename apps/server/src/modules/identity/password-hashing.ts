import { AppError } from "../../platform/app-error.ts";

/** Each takes about 60 ms of a thread and 32 MB; two leave threads for files and names. */
const MAX_RUNNING = 2;
const MAX_WAITING = 50;

/** Bounds the work of hashing passwords, which strangers cause. */
export class HashingQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Throws `rate_limited` if too many hashes are waiting. */
  async run<T>(hash: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) {
      if (this.#waiting.length >= MAX_WAITING) throw new AppError("rate_limited");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await hash();
    } finally {
      // The next one takes over the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
