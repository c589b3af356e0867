import { and, desc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { voices } from "./voices.tables.ts";

export type VoiceRow = typeof voices.$inferSelect;

export async function insertVoice(queries: Queries, row: typeof voices.$inferInsert): Promise<VoiceRow> {
  const [inserted] = await queries.insert(voices).values(row).returning();
  if (inserted === undefined) throw new Error("the voice was not inserted");
  return inserted;
}

/** The latest first. */
export async function listVoices(queries: Queries, organizationId: string): Promise<VoiceRow[]> {
  return await queries
    .select()
    .from(voices)
    .where(and(eq(voices.organizationId, organizationId), isNull(voices.deletedAt)))
    .orderBy(desc(voices.createdAt), desc(voices.id));
}

export async function findVoices(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<VoiceRow[]> {
  return await queries.select().from(voices).where(isOwn(organizationId, ids));
}

/** Voices of all organizations, deleted ones included. */
export async function findAnyVoices(queries: Queries, ids: readonly string[]): Promise<VoiceRow[]> {
  return await queries
    .select()
    .from(voices)
    .where(inArray(voices.id, [...ids]));
}

/** Whether a voice of any organization speaks with this one, a deleted voice included. */
export async function isSpokenByCustomVoice(queries: Queries, spokenVoiceId: string): Promise<boolean> {
  const rows = await queries
    .select({ id: voices.id })
    .from(voices)
    .where(eq(voices.spokenVoiceId, spokenVoiceId))
    .limit(1);
  return rows.length > 0;
}

export async function renameVoice(
  queries: Queries,
  organizationId: string,
  id: string,
  displayName: string,
): Promise<void> {
  await queries
    .update(voices)
    .set({ displayName })
    .where(isOwn(organizationId, [id]));
}

/** Returns whether the voice existed. */
export async function markDeleted(
  queries: Queries,
  organizationId: string,
  id: string,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await queries
    .update(voices)
    .set({ deletedAt: at })
    .where(isOwn(organizationId, [id]));
  return (rowCount ?? 0) > 0;
}

/** Ends the processing of a voice. Returns whether it still was in processing and not deleted. */
export async function endProcessing(
  queries: Queries,
  id: string,
  result: Pick<VoiceRow, "status" | "statusReason" | "spokenVoiceId">,
): Promise<boolean> {
  const { rowCount } = await queries
    .update(voices)
    .set(result)
    .where(and(eq(voices.id, id), eq(voices.status, "processing"), isNull(voices.deletedAt)));
  return (rowCount ?? 0) > 0;
}

/** Stores the clone of a voice that was deleted while it was cloned, for its deletion. Returns whether its row exists. */
export async function setSpokenVoice(queries: Queries, id: string, spokenVoiceId: string): Promise<boolean> {
  const { rowCount } = await queries.update(voices).set({ spokenVoiceId }).where(eq(voices.id, id));
  return rowCount === 1;
}

/** Clones in the organization's own account at a provider. */
export async function listOwnClones(
  queries: Queries,
  organizationId: string,
  provider: string,
): Promise<VoiceRow[]> {
  return await queries
    .select()
    .from(voices)
    .where(
      and(
        eq(voices.organizationId, organizationId),
        eq(voices.provider, provider),
        eq(voices.account, "organization"),
        isNotNull(voices.spokenVoiceId),
        isNull(voices.deletedAt),
      ),
    );
}

/** Stores whether a clone is in its account: `null`, or the reason why it is not. */
export async function setClonePresence(
  queries: Queries,
  id: string,
  statusReason: string | null,
): Promise<void> {
  await queries
    .update(voices)
    .set({ status: statusReason === null ? "ready" : "failed", statusReason })
    .where(and(eq(voices.id, id), isNotNull(voices.spokenVoiceId)));
}

export async function deleteVoiceRow(queries: Queries, id: string): Promise<void> {
  await queries.delete(voices).where(eq(voices.id, id));
}

function isOwn(organizationId: string, ids: readonly string[]) {
  return and(
    eq(voices.organizationId, organizationId),
    inArray(voices.id, [...ids]),
    isNull(voices.deletedAt),
  );
}
