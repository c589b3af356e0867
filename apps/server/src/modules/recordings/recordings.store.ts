import { and, eq } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { recordings } from "./recordings.tables.ts";

export type RecordingRow = typeof recordings.$inferSelect;

/** Inserts a recording, or replaces the existing one. */
export async function putRecording(
  queries: Queries,
  recording: typeof recordings.$inferInsert,
): Promise<void> {
  const { callId: _callId, ...rest } = recording;
  await queries
    .insert(recordings)
    .values(recording)
    .onConflictDoUpdate({ target: recordings.callId, set: rest });
}

export async function deleteRecording(queries: Queries, callId: string): Promise<void> {
  await queries.delete(recordings).where(eq(recordings.callId, callId));
}

export async function findRecording(
  queries: Queries,
  organizationId: string,
  callId: string,
): Promise<RecordingRow | undefined> {
  const [row] = await queries
    .select()
    .from(recordings)
    .where(and(eq(recordings.callId, callId), eq(recordings.organizationId, organizationId)));
  return row;
}
