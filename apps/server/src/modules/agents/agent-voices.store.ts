import { and, eq, or, sql } from "drizzle-orm";
import type { VoiceChoice } from "../../inference/local-voice.rules.ts";
import type { Queries } from "../../platform/database/database.ts";
import { agentEnvironments, agents, agentVersions } from "./agents.tables.ts";

/**
 * Voices that calls of all organizations may use: those of the drafts, the published versions and the versions that
 * environments pin.
 */
export async function listVoiceChoices(queries: Queries): Promise<VoiceChoice[]> {
  const document = sql`${agents.document}`;
  const snapshot = sql`${agentVersions.snapshot}`;
  const isPinned = queries
    .select({ found: sql`1` })
    .from(agentEnvironments)
    .where(
      and(
        eq(agentEnvironments.agentId, agentVersions.agentId),
        eq(agentEnvironments.revision, agentVersions.revision),
      ),
    );
  return await queries
    .select(fieldsOf(document))
    .from(agents)
    .union(
      queries
        .select(fieldsOf(snapshot))
        .from(agentVersions)
        .innerJoin(agents, eq(agents.id, agentVersions.agentId))
        .where(or(eq(agentVersions.revision, agents.publishedRevision), sql`exists ${isPinned}`)),
    )
    .then((rows) =>
      rows.map(({ fallbackVoiceId, ...row }) => ({ ...row, fallbackVoiceId: fallbackVoiceId ?? undefined })),
    );
}

/** Fields of a stored document as columns. */
const fieldsOf = (document: ReturnType<typeof sql>) => ({
  voiceId: sql<string>`coalesce(${document}->>'voiceId', '')`.as("voice_id"),
  fallbackVoiceId: sql<string | null>`${document}->>'fallbackVoiceId'`.as("fallback_voice_id"),
  language: sql<string>`coalesce(${document}->>'language', 'en')`.as("language"),
});
