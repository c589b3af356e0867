import {
  type CallEndReason,
  type CallStatus,
  MAX_SEARCHED_CALLS,
  type PageQuery,
  PRODUCTION,
  type Turn,
} from "@parley/contract";
import {
  type SQL,
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  notInArray,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { LATER_LATENCY_PARTS, normalizeNumberFilter } from "./calls.rules.ts";
import { type CallChannel, callTurns, calls } from "./calls.tables.ts";

/** More than the attempts of a contact: dials that capacity prevented leave calls too. */
const MAX_CALLS_TO_CONTACT = 100;

export type CallRow = typeof calls.$inferSelect;
export type CallInsert = typeof calls.$inferInsert;

/** The nodes between which a placed call is handed over. */
export interface Handover {
  fromNodeId: string;
  toNodeId: string;
}

/** Returns the condition that something was said in the conversation with this id. */
type SaidIn = (conversationId: SQL) => SQL;

export interface CallFilter extends PageQuery {
  agentId?: string;
  conversationId?: string;
  campaignId?: string;
  status?: readonly CallStatus[];
  endReason?: readonly CallEndReason[];
  sipTrunkId?: string;
  direction?: "inbound" | "outbound";
  channel?: CallChannel;
  /** `production` selects calls without an environment. */
  environment?: string;
  fromNumber?: string;
  toNumber?: string;
  isTest?: boolean;
  minDurationSeconds?: number;
  maxDurationSeconds?: number;
  /** Selects conversations by what was said in them; of the newest calls only. */
  said?: SaidIn;
  createdAfter?: string;
  createdBefore?: string;
}

export async function insertCall(queries: Queries, call: CallInsert): Promise<CallRow> {
  const [row] = await queries.insert(calls).values(call).returning();
  if (row === undefined) throw new Error("the call was not stored");
  return row;
}

/** The organization's calls without an end, and those created since a time with the oldest of them. */
export async function countUsage(
  queries: Queries,
  organizationId: string,
  since: Date,
): Promise<{ open: number; recent: number; oldestAt: Date | undefined }> {
  const own = eq(calls.organizationId, organizationId);
  const open = await countRows(queries, calls, and(own, isNull(calls.endedAt)));
  const [recent] = await queries
    .select({ count: count(), oldestAt: min(calls.createdAt) })
    .from(calls)
    .where(and(own, gt(calls.createdAt, since)));
  return { open, recent: recent?.count ?? 0, oldestAt: recent?.oldestAt ?? undefined };
}

export async function findCall(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<CallRow | undefined> {
  const [row] = await queries
    .select()
    .from(calls)
    .where(and(eq(calls.organizationId, organizationId), eq(calls.id, id)));
  return row;
}

/** Locks a call by its id alone, without its organization, for the call path. */
export async function lockCall(queries: Queries, id: string): Promise<CallRow | undefined> {
  const [row] = await queries.select().from(calls).where(eq(calls.id, id)).for("update");
  return row;
}

export async function findConversationId(queries: Queries, id: string): Promise<string | undefined> {
  const [row] = await queries
    .select({ conversationId: calls.conversationId })
    .from(calls)
    .where(eq(calls.id, id));
  return row?.conversationId;
}

/** Subquery for the conversation of a call. */
export async function listCallsWithConversations(
  queries: Queries,
  conversationIds: readonly string[],
): Promise<{ id: string; endedAt: Date | null }[]> {
  if (conversationIds.length === 0) return [];
  return await queries
    .select({ id: calls.id, endedAt: calls.endedAt })
    .from(calls)
    .where(inArray(calls.conversationId, [...conversationIds]));
}

export function conversationIdOf(id: string): SQL {
  return sql`(select ${calls.conversationId} from ${calls} where ${calls.id} = ${id})`;
}

export async function findOrganizationToRecordFor(queries: Queries, id: string): Promise<string | undefined> {
  const [row] = await queries
    .select({ organizationId: calls.organizationId })
    .from(calls)
    .where(and(eq(calls.id, id), sql`${calls.recordingStatus} is distinct from 'deleted'`));
  return row?.organizationId;
}

export async function listAwaitingRecording(
  queries: Queries,
  { nodeId, endedBefore }: { nodeId?: string; endedBefore: Date },
): Promise<string[]> {
  const conditions: SQL[] = [eq(calls.recordingStatus, "pending"), lt(calls.endedAt, endedBefore)];
  if (nodeId !== undefined) conditions.push(eq(calls.nodeId, nodeId));
  const rows = await queries
    .select({ id: calls.id })
    .from(calls)
    .where(and(...conditions));
  return rows.map(({ id }) => id);
}

/** The conditions of a filter, except for what was said. */
function conditionsOf(organizationId: string, filter: CallFilter): SQL[] {
  const conditions: SQL[] = [eq(calls.organizationId, organizationId)];
  if (filter.agentId !== undefined) conditions.push(eq(calls.agentId, filter.agentId));
  if (filter.conversationId !== undefined) conditions.push(eq(calls.conversationId, filter.conversationId));
  if (filter.campaignId !== undefined) conditions.push(eq(calls.campaignId, filter.campaignId));
  if (filter.status !== undefined) conditions.push(inArray(calls.status, [...filter.status]));
  if (filter.endReason !== undefined) conditions.push(inArray(calls.endReason, [...filter.endReason]));
  if (filter.sipTrunkId !== undefined) conditions.push(eq(calls.sipTrunkId, filter.sipTrunkId));
  if (filter.direction !== undefined) conditions.push(eq(calls.direction, filter.direction));
  if (filter.channel !== undefined) conditions.push(eq(calls.channel, filter.channel));
  if (filter.environment === PRODUCTION) conditions.push(isNull(calls.environment));
  else if (filter.environment !== undefined) conditions.push(eq(calls.environment, filter.environment));
  if (filter.fromNumber !== undefined)
    conditions.push(eq(calls.fromNumber, normalizeNumberFilter(filter.fromNumber)));
  if (filter.toNumber !== undefined)
    conditions.push(eq(calls.toNumber, normalizeNumberFilter(filter.toNumber)));
  if (filter.isTest !== undefined) conditions.push(eq(calls.isTest, filter.isTest));
  if (filter.minDurationSeconds !== undefined)
    conditions.push(gte(calls.billableSeconds, filter.minDurationSeconds));
  if (filter.maxDurationSeconds !== undefined)
    conditions.push(lte(calls.billableSeconds, filter.maxDurationSeconds));
  if (filter.createdAfter !== undefined) conditions.push(gte(calls.createdAt, new Date(filter.createdAfter)));
  if (filter.createdBefore !== undefined)
    conditions.push(lt(calls.createdAt, new Date(filter.createdBefore)));
  return conditions;
}

/** Bounds the search: transcripts of the newest calls only, however many calls the other conditions select. */
function isAmongNewestSaying(conditions: readonly SQL[], said: SaidIn): SQL {
  return sql`${calls.id} in (
    select candidate.id from (
      select ${calls.id}, ${calls.conversationId} from ${calls}
      where ${and(...conditions)}
      order by ${calls.createdAt} desc
      limit ${MAX_SEARCHED_CALLS}
    ) as candidate
    where ${said(sql`candidate.conversation_id`)}
  )`;
}

export async function listCalls(
  queries: Queries,
  organizationId: string,
  filter: CallFilter,
): Promise<Rows<CallRow>> {
  const conditions = conditionsOf(organizationId, filter);
  const where = filter.said === undefined ? and(...conditions) : isAmongNewestSaying(conditions, filter.said);
  const { limit, offset, orderBy } = pageOf(filter, calls.createdAt, calls.id);
  const rows = await queries
    .select()
    .from(calls)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, calls, where) };
}

/** Returns the calls to a contact of a campaign, the latest first. */
export async function listCallsToContact(queries: Queries, campaignContactId: string): Promise<CallRow[]> {
  return await queries
    .select()
    .from(calls)
    .where(eq(calls.campaignContactId, campaignContactId))
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(MAX_CALLS_TO_CONTACT);
}

/** Lets one transaction at a time dial a number for campaigns. */
export async function lockDials(queries: Queries, organizationId: string, toNumber: string): Promise<void> {
  const name = `dials/${organizationId}/${toNumber}`;
  await queries.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Counts dials of campaigns to a number since a time. */
export async function countDials(
  queries: Queries,
  organizationId: string,
  toNumber: string,
  since: Date,
): Promise<number> {
  const isDialed = and(
    eq(calls.organizationId, organizationId),
    eq(calls.toNumber, toNumber),
    gte(calls.dialedAt, since),
  );
  return await countRows(queries, calls, isDialed);
}

/** @throws Error if there is no such call. */
export async function updateCall(
  queries: Queries,
  id: string,
  change: Partial<CallInsert>,
): Promise<CallRow> {
  const [row] = await queries.update(calls).set(change).where(eq(calls.id, id)).returning();
  if (row === undefined) throw new Error(`there is no call ${id}`);
  return row;
}

/** Returns `undefined` if the call has ended or belongs to another node. */
export async function findOpenCallOf(
  queries: Queries,
  nodeId: string,
  id: string,
): Promise<CallRow | undefined> {
  const [row] = await queries.select().from(calls).where(isOpenCallOf(nodeId, id));
  return row;
}

/** Returns false if the call has ended or no longer belongs to the first node. */
export async function moveCall(
  queries: Queries,
  id: string,
  { fromNodeId, toNodeId }: Handover,
): Promise<boolean> {
  const rows = await queries
    .update(calls)
    .set({ nodeId: toNodeId })
    .where(isOpenCallOf(fromNodeId, id))
    .returning({ id: calls.id });
  return rows.length > 0;
}

/** Returns the conversation's id; `undefined` if the call has ended or belongs to another node. */
export async function deleteOpenCallOf(
  queries: Queries,
  nodeId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await queries
    .delete(calls)
    .where(isOpenCallOf(nodeId, id))
    .returning({ conversationId: calls.conversationId });
  return row?.conversationId;
}

export async function deleteCall(queries: Queries, id: string): Promise<void> {
  await queries.delete(calls).where(eq(calls.id, id));
}

export async function listCallsById(
  queries: Queries,
  ids: readonly string[],
): Promise<Pick<CallRow, "id" | "conversationId" | "recordingStatus">[]> {
  const { id, conversationId, recordingStatus } = calls;
  return await queries
    .select({ id, conversationId, recordingStatus })
    .from(calls)
    .where(inArray(calls.id, [...ids]));
}

function isOpenCallOf(nodeId: string, id: string): SQL | undefined {
  return and(eq(calls.id, id), eq(calls.nodeId, nodeId), isNull(calls.endedAt));
}

export async function markRinging(queries: Queries, id: string, at: Date): Promise<void> {
  await queries
    .update(calls)
    .set({ status: "ringing", startedAt: at })
    .where(and(eq(calls.id, id), eq(calls.status, "queued")));
}

/**
 * Returns open calls of other nodes that were created before the given time. Ordered by id, so that
 * concurrent locks do not deadlock.
 */
export async function listOpenCallsOfOthers(
  queries: Queries,
  nodeIds: readonly string[],
  begunBefore: Date | undefined,
): Promise<CallRow[]> {
  const conditions: SQL[] = [isNull(calls.endedAt)];
  if (nodeIds.length > 0) conditions.push(notInArray(calls.nodeId, [...nodeIds]));
  if (begunBefore !== undefined) conditions.push(lt(calls.createdAt, begunBefore));
  return await queries
    .select()
    .from(calls)
    .where(and(...conditions))
    .orderBy(asc(calls.id));
}

/** Returns open calls of one node, except for these, that were created before the given time. */
export async function listOpenCallsBut(
  queries: Queries,
  nodeId: string,
  ids: readonly string[],
  begunBefore: Date,
): Promise<string[]> {
  const rows = await queries
    .select({ id: calls.id })
    .from(calls)
    .where(
      and(
        isNull(calls.endedAt),
        eq(calls.nodeId, nodeId),
        lt(calls.createdAt, begunBefore),
        notInArray(calls.id, [...ids]),
      ),
    );
  return rows.map(({ id }) => id);
}

export async function findNodeId(
  queries: Queries,
  id: string,
  channel?: CallChannel,
): Promise<string | undefined> {
  const [row] = await queries
    .select({ nodeId: calls.nodeId })
    .from(calls)
    .where(and(eq(calls.id, id), isNull(calls.endedAt), channel && eq(calls.channel, channel)));
  return row?.nodeId;
}

export async function listEnded(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const rows = await queries
    .select({ id: calls.id })
    .from(calls)
    .where(and(inArray(calls.id, [...ids]), isNotNull(calls.endedAt)));
  return rows.map(({ id }) => id);
}

export async function listTurns(queries: Queries, callId: string): Promise<Turn[]> {
  const rows = await queries
    .select({ turn: callTurns.turn })
    .from(callTurns)
    .where(eq(callTurns.callId, callId))
    .orderBy(asc(callTurns.sequence));
  return rows.map(({ turn }) => ({ ...LATER_LATENCY_PARTS, ...turn }));
}

/**
 * Appends turns in one statement, because a call writes one per turn. Skips turns whose id is already there.
 * The call's row is locked: a concurrent end either counts these turns, or is reported by this statement.
 *
 * @throws Error if there is no such call.
 */
export async function insertTurns(
  queries: Queries,
  callId: string,
  turns: readonly Turn[],
): Promise<{ isEnded: boolean }> {
  const { rows } = await queries.execute<{ isEnded: boolean }>(sql`
    with call as (
      select id, ended_at is not null as "isEnded" from ${calls} where id = ${callId} for update
    ), inserted as (
      insert into ${callTurns} (call_id, id, sequence, turn)
      select
        call.id,
        entry.turn ->> 'id',
        entry.place + coalesce((select max(sequence) from ${callTurns} where call_id = ${callId}), 0),
        entry.turn
      from call, jsonb_array_elements(${JSON.stringify(turns)}::jsonb) with ordinality as entry (turn, place)
      on conflict do nothing
    )
    select "isEnded" from call`);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no call ${callId}`);
  return row;
}
