import { createHash } from "node:crypto";
import { eq, lt, lte, sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { attemptLimits } from "./rate-limit.tables.ts";

interface AttemptLimiterOptions {
  /** Distinguishes the keys of this limit from those of others. */
  name: string;
  /** Maximum attempts at once. */
  burst: number;
  /** Interval after which one more attempt is allowed. */
  intervalMs: number;
}

/**
 * Limits attempts per key, such as an address or an account, over all nodes: a burst, then one in each interval. The database
 * stores a hash of the key, and nothing of keys that have their full limit again.
 */
export class AttemptLimiter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #options: AttemptLimiterOptions;

  constructor(database: Database, clock: Clock, options: AttemptLimiterOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** Counts an attempt. Returns the milliseconds until the next one is allowed; 0 if this one is. */
  async take(key: string): Promise<number> {
    const { burst, intervalMs } = this.#options;
    const nowMs = this.#clock.now().getTime();
    const clearAt = new Date(nowMs + intervalMs);
    const latest = new Date(nowMs + (burst - 1) * intervalMs);
    const id = this.#idOf(key);
    const now = sql`${new Date(nowMs).toISOString()}::timestamptz`;
    // Runs as one statement: of two concurrent attempts, the second waits for the row and counts the first. An attempt
    // that is rejected for the limit does not count, so that a waiting client recovers.
    const taken = await this.#database
      .insert(attemptLimits)
      .values({ id, clearAt })
      .onConflictDoUpdate({
        target: attemptLimits.id,
        set: { clearAt: sql`greatest(${attemptLimits.clearAt}, ${now}) + ${this.#interval()}` },
        setWhere: lte(attemptLimits.clearAt, latest),
      })
      .returning({ id: attemptLimits.id });
    if (taken.length > 0) return 0;
    const [row] = await this.#database
      .select({ clearAt: attemptLimits.clearAt })
      .from(attemptLimits)
      .where(eq(attemptLimits.id, id));
    return Math.max(1, (row?.clearAt.getTime() ?? 0) - latest.getTime());
  }

  /** Takes back an allowed attempt, because it succeeded. */
  async giveBack(key: string): Promise<void> {
    await this.#database
      .update(attemptLimits)
      .set({ clearAt: sql`${attemptLimits.clearAt} - ${this.#interval()}` })
      .where(eq(attemptLimits.id, this.#idOf(key)));
  }

  #interval() {
    return sql`make_interval(secs => ${this.#options.intervalMs / 1000})`;
  }

  #idOf(key: string): string {
    return createHash("sha256").update(`${this.#options.name}\0${key}`).digest("base64url");
  }
}

/** Deletes keys that have their full limit again. */
export async function deleteClearedAttempts(database: Database, now: Date): Promise<void> {
  await database.delete(attemptLimits).where(lt(attemptLimits.clearAt, now));
}
