import type { ProviderFailure } from "@parley/contract";
import { asc, eq } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { providerFailures } from "./provider-failures.tables.ts";

/** Vendors answer with pages of text. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Idempotent by the failure's id. Rejects if there is no such call. */
export async function insertProviderFailure(
  queries: Queries,
  callId: string,
  { at, message, ...failure }: ProviderFailure,
): Promise<void> {
  const text = toStorableText(message).slice(0, MAX_MESSAGE_CHARACTERS);
  const row = { ...failure, callId, at: new Date(at), message: text };
  await queries.insert(providerFailures).values(row).onConflictDoNothing();
}

/** Returns the failures of a call in order. */
export async function listProviderFailures(queries: Queries, callId: string): Promise<ProviderFailure[]> {
  const rows = await queries
    .select()
    .from(providerFailures)
    .where(eq(providerFailures.callId, callId))
    .orderBy(asc(providerFailures.at), asc(providerFailures.id));
  return rows.map(({ callId: _callId, at, ...failure }) => ({ ...failure, at: at.toISOString() }));
}
