import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { type Job, type JobResult, PgBoss, fromDrizzle } from "pg-boss";
import type { Logger } from "pino";
import type { Queries } from "../database/database.ts";
import { toStorableText } from "../database/storable-text.ts";

const SCHEMA = "jobs";
const MAX_CONNECTIONS = 2;
const STOP_DEADLINE_MS = 10_000;
const EXPIRE_SECONDS = 60;
const RETRIES = 3;
const MAX_RETRY_DELAY_SECONDS = 60;
/** A worker polls again at once, instead of after 2 s, only if it found a full batch of more than one job. */
const BATCH_SIZE = 2;

/** Kind of background job: short, idempotent, with only ids as its data. */
export interface JobKind<Data extends object> {
  name: string;
  run: (data: Data) => Promise<void>;
  /** Minute, hour, day, month, weekday in UTC: runs on schedule, once for all nodes. */
  cron?: string;
  /** Number of jobs that a node runs at once; default 1. */
  concurrency?: number;
  /** Whether its jobs belong to groups, each with a limit of its own. */
  isGrouped?: boolean;
  /** Seconds after which a run counts as failed; default 60. */
  expireSeconds?: number;
  /** Number of retries of a failed run, at increasing intervals; default 3. */
  retries?: number;
}

export interface JobGroup {
  id: string;
  /** Number of the group's jobs that a node runs at once. */
  concurrency: number;
}

export interface EnqueueOptions {
  /** Default: at once. */
  startAfter?: Date;
  /** Group of the job, such as an organization: jobs of other groups do not delay it (`isGrouped`). */
  group?: JobGroup;
}

/** Queue of background jobs. */
export interface JobQueue {
  /** Enqueues the job in a transaction; it runs after the commit. */
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

/** Background jobs stored in the database: a job enqueued in a transaction runs only if that commits. */
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

  /** Declares the kind on this node and starts to process its jobs. */
  async work<Data extends object>(kind: JobKind<Data>): Promise<void> {
    await this.#boss.createQueue(kind.name, {
      expireInSeconds: kind.expireSeconds ?? EXPIRE_SECONDS,
      retryLimit: kind.retries ?? RETRIES,
      retryBackoff: true,
      retryDelayMax: MAX_RETRY_DELAY_SECONDS,
    });
    if (kind.cron !== undefined) await this.#boss.schedule(kind.name, kind.cron);
    const { concurrency = 1, isGrouped = false } = kind;
    const batchSize = Math.min(concurrency, BATCH_SIZE);
    await this.#boss.work<Data>(
      kind.name,
      {
        perJobResults: true,
        batchSize,
        burstWhenBatchFull: true,
        localConcurrency: Math.ceil(concurrency / batchSize),
        ...(isGrouped && { localGroupConcurrency: 1 }),
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
      return { id, status: "failed", output: { message: toStorableText(String(error)) } };
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
      ...(group !== undefined && { group: { id: laneOf(group) } }),
    });
  }

  /** Waits for running jobs to end. Idempotent. */
  async close(): Promise<void> {
    this.#stopped ??= this.#boss.stop({ graceful: true, close: true, timeout: STOP_DEADLINE_MS });
    await this.#stopped;
  }
}

/**
 * pg-boss gives all groups of a queue the same limit. A group is therefore divided into as many lanes as it may run jobs at
 * once, and each lane runs one.
 */
function laneOf({ id, concurrency }: JobGroup): string {
  return `${id}/${randomInt(Math.max(1, concurrency))}`;
}
