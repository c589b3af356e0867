import type { ContactOutcome } from "@parley/contract";
import { eq, max, min, sql } from "drizzle-orm";
import type { Queries } from "../../../platform/database/database.ts";
import { campaignActivity as activity } from "../campaigns.tables.ts";
import type { OutcomeCount } from "./campaign-activity.rules.ts";

const MINUTE_MS = 60_000;

interface Event {
  at: Date;
  outcome: ContactOutcome;
  /** Attempts that ended. */
  attempts: number;
  /** Contacts that got their final status. */
  contactsDone: number;
}

/** Counts what has ended. Called under the lock of the campaign. */
export async function recordActivity(
  queries: Queries,
  campaignId: string,
  { at, outcome, attempts, contactsDone }: Event,
): Promise<void> {
  if (attempts === 0 && contactsDone === 0) return;
  const startsAt = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  await queries
    .insert(activity)
    .values({ campaignId, startsAt, outcome, attempts, contactsDone })
    .onConflictDoUpdate({
      target: [activity.campaignId, activity.startsAt, activity.outcome],
      set: {
        attempts: sql`${activity.attempts} + excluded.attempts`,
        contactsDone: sql`${activity.contactsDone} + excluded.contacts_done`,
      },
    });
}

/** Returns the times of the first and the last activity; `undefined` if there is none. */
export async function findActivityRange(
  queries: Queries,
  campaignId: string,
): Promise<{ first: Date; last: Date } | undefined> {
  const [range] = await queries
    .select({ first: min(activity.startsAt), last: max(activity.startsAt) })
    .from(activity)
    .where(eq(activity.campaignId, campaignId));
  const { first, last } = range ?? {};
  return first && last ? { first, last } : undefined;
}

/** Returns the counts of intervals of this length, ordered by time. */
export async function sumActivity(
  queries: Queries,
  campaignId: string,
  intervalSeconds: number,
): Promise<OutcomeCount[]> {
  const { rows } = await queries.execute<Omit<OutcomeCount, "startsAt"> & { startsAtMs: string }>(sql`
    select extract(epoch from date_bin(make_interval(secs => ${intervalSeconds}), ${activity.startsAt}, 'epoch')) * 1000
        as "startsAtMs",
      ${activity.outcome} as outcome, sum(${activity.attempts})::int as attempts,
      sum(${activity.contactsDone})::int as "contactsDone"
    from ${activity} where ${activity.campaignId} = ${campaignId}
    group by 1, 2 order by 1`);
  return rows.map(({ startsAtMs, ...counts }) => ({ ...counts, startsAt: new Date(Number(startsAtMs)) }));
}
