import { asc, eq, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { callTraceMessages } from "./sip-trace.tables.ts";

export type TraceMessageRow = typeof callTraceMessages.$inferSelect;
export type TraceMessageInsert = typeof callTraceMessages.$inferInsert;

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
