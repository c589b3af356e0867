import { sql } from "drizzle-orm";
import { PgBoss, fromDrizzle } from "pg-boss";
import type { Logger } from "pino";
import type { Queries } from "../database/database.ts";

const SCHEMA = "jobs";
const MAX_CONNECTIONS = 4;
const STOP_DEADLINE_MS = 10_000;
const EXPIRE_SECONDS = 60;
const RETRIES = 3;

/** A kind of background work: short, idempotent, its data only ids. */
export interface JobKind<Data extends object> {
  name: string;
  run: (data: Data) => Promise<void>;
  /** Minute, hour, day, month, weekday in UTC: runs by itself, once for all nodes. */
  cron?: string;
}

export interface JobsOptions {
  /** A direct connection to the database. */
  connectionString: string;
  logger: Logger;
}

/** Background work that is kept in the database: what is enqueued in a transaction happens if that commits. */
export class Jobs {
  readonly #boss: PgBoss;
  #stopped: Promise<void> | undefined;

  private constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  static async start({ connectionString, logger }: JobsOptions): Promise<Jobs> {
    const boss = new PgBoss({
      connectionString,
      schema: SCHEMA,
      max: MAX_CONNECTIONS,
      application_name: "parley-jobs",
    });
    boss.on("error", (error) => logger.error({ err: error }, "job queue failed"));
    boss.on("warning", ({ message }) => logger.warn({ warning: message }, "job queue warns"));
    await boss.start();
    return new Jobs(boss);
  }

  /** Declares the kind on this node and begins to work on it. */
  async work<Data extends object>(kind: JobKind<Data>): Promise<void> {
    await this.#boss.createQueue(kind.name, {
      expireInSeconds: EXPIRE_SECONDS,
      retryLimit: RETRIES,
      retryBackoff: true,
    });
    if (kind.cron !== undefined) await this.#boss.schedule(kind.name, kind.cron);
    await this.#boss.work<Data>(kind.name, async (jobs) => {
      for (const job of jobs) await kind.run(job.data);
    });
  }

  /** In the transaction whose commit it follows. */
  async enqueue<Data extends object>(transaction: Queries, kind: JobKind<Data>, data: Data): Promise<void> {
    await this.#boss.send(kind.name, data, { db: fromDrizzle(transaction, sql) });
  }

  /** Lets running jobs end. Idempotent. */
  async close(): Promise<void> {
    this.#stopped ??= this.#boss.stop({ graceful: true, close: true, timeout: STOP_DEADLINE_MS });
    await this.#stopped;
  }
}
