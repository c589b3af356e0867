import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Bus } from "../bus/bus.ts";

/** Interval at which a node looks for due work without an announcement: retries, and work of nodes that have died. */
const POLL_MS = 1_000;

export interface DueWorkerOptions<Work> {
  /** Named in the log. */
  name: string;
  /** Claims the next due piece of work; `undefined` if there is none. */
  claim: () => Promise<Work | undefined>;
  /** Rejections are logged: the claim expires, and the work is claimed again. */
  run: (work: Work) => Promise<void>;
  /** Pieces of work at once on this node. */
  maxRunning: number;
  bus: Bus;
  /** Announces new work. Default: the work is found at the interval. */
  topic?: string;
  logger: Logger;
}

/** Runs work that is due in a table, on each node. The claims decide which node runs it. */
export class DueWorker<Work> {
  readonly #options: DueWorkerOptions<Work>;
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #stops: (() => void)[] = [];
  #loop: Promise<void> = Promise.resolve();
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(options: DueWorkerOptions<Work>) {
    this.#options = options;
  }

  start(): void {
    const { bus, topic } = this.#options;
    const wake = (): void => this.#awake();
    this.#stops = [bus.onReconnect(wake)];
    if (topic !== undefined) this.#stops.push(bus.subscribe(topic, wake));
    this.#loop = this.#work();
  }

  /** Claims nothing more and waits for the work in progress. Idempotent. */
  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#closing.abort();
    this.#awake();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#isWoken = false;
      try {
        await this.#claimAll();
      } catch (error) {
        this.#options.logger.warn(
          { err: error, work: this.#options.name },
          "claiming due work failed; retrying",
        );
      }
      await this.#pause();
    }
  }

  async #claimAll(): Promise<void> {
    const { claim, maxRunning } = this.#options;
    while (this.#running.size < maxRunning && !this.#closing.signal.aborted) {
      const work = await claim();
      if (work === undefined) return;
      const running = this.#run(work).finally(() => {
        this.#running.delete(running);
        this.#awake();
      });
      this.#running.add(running);
    }
  }

  async #run(work: Work): Promise<void> {
    const { name, run, logger } = this.#options;
    try {
      await run(work);
    } catch (error) {
      logger.error({ err: error, work: name }, "due work failed");
    }
  }

  async #pause(): Promise<void> {
    if (this.#isWoken) return;
    const pause = new AbortController();
    this.#wake = () => pause.abort();
    await sleep(POLL_MS, undefined, { signal: pause.signal }).catch(() => {});
    this.#wake = () => {};
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake();
  }
}
