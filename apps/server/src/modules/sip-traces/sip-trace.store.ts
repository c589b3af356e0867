import { asc, eq, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { sipTraceMessages } from "./sip-trace.tables.ts";

export type TraceMessageRow = typeof sipTraceMessages.$inferSelect;
export type TraceMessageInsert = typeof sipTraceMessages.$inferInsert;

export async function insertMessages(
  queries: Queries,
  messages: readonly TraceMessageInsert[],
): Promise<void> {
  await queries.insert(sipTraceMessages).values([...messages]);
}

export async function listMessages(queries: Queries, callId: string): Promise<TraceMessageRow[]> {
  return await queries
    .select()
    .from(sipTraceMessages)
    .where(eq(sipTraceMessages.callId, callId))
    .orderBy(asc(sipTraceMessages.id));
}

export async function deleteBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(sipTraceMessages).where(lt(sipTraceMessages.at, before));
}
