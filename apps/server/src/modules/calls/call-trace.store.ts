import { and, asc, eq, inArray, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { callTraceMessages } from "./call-trace.tables.ts";
import { calls } from "./calls.tables.ts";

export type TraceMessageRow = typeof callTraceMessages.$inferSelect;
export type TraceMessageInsert = typeof callTraceMessages.$inferInsert;

/** The calls of this node by their SIP Call-ID; of several the latest. */
export async function findCallsBySipCallId(
  queries: Queries,
  nodeId: string,
  sipCallIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queries
    .select({ id: calls.id, sipCallId: calls.sipCallId })
    .from(calls)
    .where(and(inArray(calls.sipCallId, [...sipCallIds]), eq(calls.nodeId, nodeId)))
    .orderBy(asc(calls.createdAt));
  return new Map(rows.flatMap(({ id, sipCallId }) => (sipCallId === null ? [] : [[sipCallId, id] as const])));
}

export async function insertMessages(
  queries: Queries,
  messages: readonly TraceMessageInsert[],
): Promise<void> {
  await queries.insert(callTraceMessages).values([...messages]);
}

export async function listMessages(queries: Queries, callId: string): Promise<TraceMessageRow[]> {
  return await queries
    .select()
    .from(callTraceMessages)
    .where(eq(callTraceMessages.callId, callId))
    .orderBy(asc(callTraceMessages.id));
}

export async function deleteBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(callTraceMessages).where(lt(callTraceMessages.at, before));
}
