import { sql } from "drizzle-orm";
import { type Job, type JobResult, PgBoss, fromDrizzle } from "pg-boss";
import type { Logger } from "pino";
import type { Queries } from "../database/database.ts";

const SCHEMA = "jobs";
const MAX_CONNECTIONS = 2;
const STOP_DEADLINE_MS = 10_000;
const EXPIRE_SECONDS = 60;
const RETRIES = 3;
const LONGEST_RETRY_DELAY_SECONDS = 60;
/** A worker looks again at once, and not in 2 s, only where it found as many as it asked for, and that more than one. */
const BATCH_SIZE = 2;

/** A kind of background work: short, idempotent, its data only ids. */
export interface JobKind<Data extends object> {
  name: string;
  run: (data: Data) => Promise<void>;
  /** Minute, hour, day, month, weekday in UTC: runs by itself, once for all nodes. */
  cron?: string;
  /** How many of them a node works on at once; one unless stated. */
  concurrency?: number;
  /** How many of them may be of one `group`; as many as there are unless stated. */
  concurrencyPerGroup?: number;
  /** A run that takes longer has failed; 60 unless stated. */
  expireSeconds?: number;
  /** How often a run that fails is tried again, less and less often; 3 unless stated. */
  retries?: number;
}

export interface EnqueueOptions {
  /** At once unless stated. */
  startAfter?: Date;
  /** On whose behalf: what others leave to be done does not hold it up (`concurrencyPerGroup`). */
  group?: string;
}

/** Where work is left to be done. */
export interface JobQueue {
  /** In the transaction whose commit it follows. */
  enqueue: <Data extends object>(
    transaction: Queries,
    kind: Pick<JobKind<Data>, "name">,
    data: Data,
    options?: EnqueueOptions,
  ) => Promise<void>;
}

export interface JobsOptions {
  /** A direct connection to the database. */
  connectionString: string;
  logger: Logger;
}

/** Background work that is kept in the database: what is enqueued in a transaction happens if that commits. */
export class Jobs implements JobQueue {
  readonly #boss: PgBoss;
  readonly #logger: Logger;
  #stopped: Promise<void> | undefined;

  private constructor(boss: PgBoss, logger: Logger) {
    this.#boss = boss;
    this.#logger = logger;
  }

  static async start({ connectionString, logger }: JobsOptions): Promise<Jobs> {
    const boss = new PgBoss({
      connectionString,
      schema: SCHEMA,
      max: MAX_CONNECTIONS,
      application_name: "parley-jobs",
    });
    boss.on("error", (error) => logger.error({ err: error }, "job queue failed"));
    boss.on("warning", ({ message }) => logger.warn({ warning: message }, "job queue warning"));
    await boss.start();
    return new Jobs(boss, logger);
  }

  /** Declares the kind on this node and begins to work on it. */
  async work<Data extends object>(kind: JobKind<Data>): Promise<void> {
    await this.#boss.createQueue(kind.name, {
      expireInSeconds: kind.expireSeconds ?? EXPIRE_SECONDS,
      retryLimit: kind.retries ?? RETRIES,
      retryBackoff: true,
      retryDelayMax: LONGEST_RETRY_DELAY_SECONDS,
    });
    if (kind.cron !== undefined) await this.#boss.schedule(kind.name, kind.cron);
    const { concurrency = 1, concurrencyPerGroup } = kind;
    const batchSize = Math.min(concurrency, BATCH_SIZE);
    await this.#boss.work<Data>(
      kind.name,
      {
        perJobResults: true,
        batchSize,
        burstWhenBatchFull: true,
        localConcurrency: Math.ceil(concurrency / batchSize),
        ...(concurrencyPerGroup !== undefined && { localGroupConcurrency: concurrencyPerGroup }),
      },
      async (jobs) => await Promise.all(jobs.map(async (job) => await this.#run(kind, job))),
    );
  }

  async #run<Data extends object>(kind: JobKind<Data>, { id, data }: Job<Data>): Promise<JobResult> {
    try {
      await kind.run(data);
      return { id, status: "completed" };
    } catch (error) {
      this.#logger.warn({ err: error, job: kind.name, jobId: id }, "job failed");
      return { id, status: "failed", output: { message: String(error) } };
    }
  }

  async enqueue<Data extends object>(
    transaction: Queries,
    kind: Pick<JobKind<Data>, "name">,
    data: Data,
    { startAfter, group }: EnqueueOptions = {},
  ): Promise<void> {
    const db = fromDrizzle(transaction, sql);
    await this.#boss.send(kind.name, data, {
      db,
      ...(startAfter !== undefined && { startAfter }),
      ...(group !== undefined && { group: { id: group } }),
    });
  }

  /** Lets running jobs end. Idempotent. */
  async close(): Promise<void> {
    this.#stopped ??= this.#boss.stop({ graceful: true, close: true, timeout: STOP_DEADLINE_MS });
    await this.#stopped;
  }
}
