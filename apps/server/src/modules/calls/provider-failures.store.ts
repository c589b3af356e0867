import type { ProviderFailure } from "@parley/contract";
import { and, asc, desc, eq, gte } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { calls } from "./calls.tables.ts";
import { providerFailures } from "./provider-failures.tables.ts";

/** Vendors answer with pages of text. */
const MAX_MESSAGE_CHARACTERS = 500;
/** The latest ones of an organization. */
const MAX_SUMMARIZED = 1_000;

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
  return rows.map(present);
}

/** Failures of one provider. */
export interface ProviderFailures {
  /** Since `countedSince`. */
  count: number;
  last: ProviderFailure;
}

/** Returns the failures in an organization's calls since `shownSince`, by the vendor that precedes a provider's model. */
export async function summarizeProviderFailures(
  queries: Queries,
  organizationId: string,
  { countedSince, shownSince }: { countedSince: Date; shownSince: Date },
): Promise<Map<string, ProviderFailures>> {
  const rows = await queries
    .select({ failure: providerFailures })
    .from(providerFailures)
    .innerJoin(calls, eq(calls.id, providerFailures.callId))
    .where(and(eq(calls.organizationId, organizationId), gte(providerFailures.at, shownSince)))
    .orderBy(desc(providerFailures.at))
    .limit(MAX_SUMMARIZED);
  const byVendor = new Map<string, ProviderFailures>();
  for (const { failure } of rows) {
    // Some clients add the kind of API: `openai.chat/gpt-4o-mini`.
    const [vendor = ""] = failure.provider.split(/[/.]/);
    const known = byVendor.get(vendor) ?? { count: 0, last: present(failure) };
    known.count += failure.at >= countedSince ? 1 : 0;
    byVendor.set(vendor, known);
  }
  return byVendor;
}

function present({ callId: _callId, at, ...failure }: typeof providerFailures.$inferSelect): ProviderFailure {
  return { ...failure, at: at.toISOString() };
}
