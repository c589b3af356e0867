import type { CallEndReason, Turn, TurnPercentiles } from "@parley/contract";
import {
  type SQL,
  type SQLWrapper,
  and,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNull,
  isNotNull,
  lt,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { callTurns, calls } from "./calls.tables.ts";

/** Calls with all of these properties. */
export interface CallProperties {
  agentId?: string | undefined;
  direction?: "inbound" | "outbound" | undefined;
  channel?: "phone" | "web" | undefined;
}

/** Calls created at `from` or later, and before `to`. */
export interface CallSelection extends CallProperties {
  from: Date;
  to: Date;
}

export async function countActive(
  queries: Queries,
  organizationId: string,
  properties: CallProperties,
): Promise<number> {
  const isActive = and(isNull(calls.endedAt), inArray(calls.status, ["ringing", "in_progress"]));
  const [row] = await queries
    .select({ active: count() })
    .from(calls)
    .where(and(...havingProperties(organizationId, properties), isActive));
  return row?.active ?? 0;
}

/** Returns one row for each day that the range touches in the timezone, including days without calls. */
export async function tallyDays(
  queries: Queries,
  organizationId: string,
  selection: CallSelection,
  timezone: string,
) {
  const day = sql<string>`(${calls.createdAt} at time zone ${timezone})::date`.as("day");
  const tally = queries
    .select({
      day,
      calls: count().as("calls"),
      answered: count(calls.answeredAt).as("answered"),
      billableSeconds: sql<number>`sum(${calls.billableSeconds})`.as("billable_seconds"),
    })
    .from(calls)
    .where(selected(organizationId, selection))
    .groupBy(sql`1`)
    .as("tally");
  const [first, last] = [selection.from, new Date(selection.to.getTime() - 1)].map(
    (instant) => sql`(${instant.toISOString()}::timestamptz at time zone ${timezone})::date`,
  );
  return await queries
    .select({
      date: sql<string>`to_char(each_day.date, 'YYYY-MM-DD')`,
      calls: orZero(tally.calls),
      answered: orZero(tally.answered),
      billableSeconds: orZero(tally.billableSeconds),
    })
    .from(sql`generate_series(${first}::timestamp, ${last}::timestamp, interval '1 day') as each_day(date)`)
    .leftJoin(tally, sql`${tally.day} = each_day.date::date`)
    .orderBy(sql`each_day.date`);
}

/** Returns durations in seconds; null if no call counts. */
export async function measureDurations(queries: Queries, organizationId: string, selection: CallSelection) {
  const duration = sql`extract(epoch from ${calls.endedAt} - ${calls.answeredAt})`;
  const [row] = await queries
    .select({
      calls: count(),
      totalSeconds: orZero(sql`sum(${duration})`),
      billableSeconds: orZero(sql`sum(${calls.billableSeconds})`),
      averageSeconds: numberOrNull(sql`avg(${duration})`),
      p50Seconds: numberOrNull(percentile(0.5, duration)),
      p95Seconds: numberOrNull(percentile(0.95, duration)),
      longestSeconds: numberOrNull(sql`max(${duration})`),
    })
    .from(calls)
    .where(and(selected(organizationId, selection), isNotNull(calls.answeredAt), isNotNull(calls.endedAt)));
  if (row === undefined) throw new Error("an aggregate has one row");
  return row;
}

export async function tallyEndReasons(queries: Queries, organizationId: string, selection: CallSelection) {
  return await queries
    .select({ endReason: sql<CallEndReason>`${calls.endReason}`, calls: count() })
    .from(calls)
    .where(and(selected(organizationId, selection), isNotNull(calls.endReason)))
    .groupBy(calls.endReason)
    .orderBy(desc(count()), calls.endReason);
}

export async function measureLatency(
  queries: Queries,
  organizationId: string,
  selection: CallSelection,
): Promise<TurnPercentiles> {
  const [row] = await queries
    .select({
      turns: count(),
      endpointingMs: turnPercentiles("endpointingMs"),
      sttMs: turnPercentiles("sttMs"),
      llmFirstTokenMs: turnPercentiles("llmFirstTokenMs"),
      toolMs: turnPercentiles("toolMs"),
      llmFirstClauseMs: turnPercentiles("llmFirstClauseMs"),
      ttsFirstByteMs: turnPercentiles("ttsFirstByteMs"),
      waitMs: turnPercentiles("waitMs"),
      overheadMs: turnPercentiles("overheadMs"),
      totalMs: turnPercentiles("totalMs"),
    })
    .from(callTurns)
    .innerJoin(calls, eq(calls.id, callTurns.callId))
    .where(selected(organizationId, selection));
  if (row === undefined) throw new Error("an aggregate has one row");
  return row;
}

/** Null if no turn has a value for the part. */
function turnPercentiles(part: Exclude<keyof Turn, "id">) {
  const value = sql`(${callTurns.turn} ->> ${part})::float8`;
  const percentiles = sql`percentile_disc(array[0.5, 0.95, 0.99]) within group (order by ${value})`;
  return percentiles.mapWith(([p50, p95, p99]: [number, number, number]) => ({ p50, p95, p99 }));
}

function selected(organizationId: string, { from, to, ...properties }: CallSelection): SQL | undefined {
  const conditions = havingProperties(organizationId, properties);
  return and(...conditions, gte(calls.createdAt, from), lt(calls.createdAt, to));
}

function havingProperties(
  organizationId: string,
  { agentId, direction, channel }: CallProperties,
): readonly SQL[] {
  const conditions = [eq(calls.organizationId, organizationId)];
  if (agentId !== undefined) conditions.push(eq(calls.agentId, agentId));
  if (direction !== undefined) conditions.push(eq(calls.direction, direction));
  if (channel !== undefined) conditions.push(eq(calls.channel, channel));
  return conditions;
}

/** Nearest rank: returns a measured value. */
function percentile(share: number, value: SQL): SQL {
  return sql`percentile_disc(${share}) within group (order by ${value})`;
}

function orZero(value: SQLWrapper): SQL<number> {
  return sql`coalesce(${value}, 0)`.mapWith(Number);
}

function numberOrNull(value: SQL): SQL<number | null> {
  return sql<number | null>`${value}::float8`;
}
