import type { OrganizationLimits, RateLimit } from "@parley/contract";
import { type SQL, and, eq, sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { rateLimits } from "./rate-limit.tables.ts";

export interface RateLimitedUse {
  organizationId: string;
  /** Name of the limited operation. */
  name: string;
}

export interface RateLimitVerdict {
  isAllowed: boolean;
  /** Number of uses that the limit allows. */
  limit: number;
  /** Time of the use, which identifies it in `giveBack`. */
  at: Date;
  /** Number of further uses that are allowed now. */
  remaining: number;
  /** Milliseconds until the oldest counted use expires. */
  resetMs: number;
}

export type FindLimits = (organizationId: string) => Promise<OrganizationLimits>;

/**
 * Counts limited uses of an organization in the database, across all nodes, in a sliding window of the limit's length
 * rather than in fixed periods. Rejected and returned uses do not count.
 */
export class RateLimiter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #findLimits: FindLimits;

  constructor(database: Database, clock: Clock, findLimits: FindLimits) {
    this.#database = database;
    this.#clock = clock;
    this.#findLimits = findLimits;
  }

  async take(use: RateLimitedUse, rate: RateLimit): Promise<RateLimitVerdict> {
    const now = this.#clock.now();
    const windowMs = rate.windowSeconds * 1000;
    const requests =
      typeof rate.requests === "number"
        ? rate.requests
        : (await this.#findLimits(use.organizationId))[rate.requests];
    if (requests === 0) return { isAllowed: false, limit: 0, at: now, remaining: 0, resetMs: windowMs };
    const since = new Date(now.getTime() - windowMs);
    // Runs as one statement: of two concurrent uses, the second waits for the row and counts the first.
    const [taken] = await this.#database
      .insert(rateLimits)
      .values({ ...use, takenAt: [now] })
      .onConflictDoUpdate({
        target: [rateLimits.organizationId, rateLimits.name],
        set: { takenAt: sql`${recent(since)} || ${now.toISOString()}::timestamptz` },
        setWhere: sql`cardinality(${recent(since)}) < ${requests}`,
      })
      .returning({ takenAt: rateLimits.takenAt });
    const counted = taken?.takenAt ?? (await this.#findRecent(use, since));
    const oldest = Math.min(now.getTime(), ...counted.map((each) => each.getTime()));
    return {
      isAllowed: taken !== undefined,
      limit: requests,
      at: now,
      remaining: Math.max(0, requests - counted.length),
      resetMs: oldest + windowMs - now.getTime(),
    };
  }

  /** Returns a use that was allowed at this time but had no effect. */
  async giveBack(use: RateLimitedUse, at: Date): Promise<void> {
    const place = sql`array_position(${rateLimits.takenAt}, ${at.toISOString()}::timestamptz)`;
    await this.#database
      .update(rateLimits)
      .set({ takenAt: sql`${rateLimits.takenAt}[:${place} - 1] || ${rateLimits.takenAt}[${place} + 1:]` })
      .where(and(isOf(use), sql`${place} is not null`));
  }

  async #findRecent(use: RateLimitedUse, since: Date): Promise<Date[]> {
    const [row] = await this.#database
      .select({ takenAt: rateLimits.takenAt })
      .from(rateLimits)
      .where(isOf(use));
    return (row?.takenAt ?? []).filter((each) => each > since);
  }
}

function isOf({ organizationId, name }: RateLimitedUse): SQL | undefined {
  return and(eq(rateLimits.organizationId, organizationId), eq(rateLimits.name, name));
}

function recent(since: Date): SQL {
  return sql`array(select each from unnest(${rateLimits.takenAt}) each where each > ${since.toISOString()}::timestamptz order by each)`;
}
