import type { ProviderFailure } from "@parley/contract";
import { and, asc, desc, eq, gte } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import {
  MAX_SUMMARIZED_FAILURES,
  presentFailure,
  type ProviderFailures,
  summarizeByVendor,
  toStoredFailure,
} from "../conversations/provider-failures.rules.ts";
import { calls } from "./calls.tables.ts";
import { providerFailures } from "./provider-failures.tables.ts";

/** Idempotent by the failure's id. Rejects if there is no such call. */
export async function insertProviderFailure(
  queries: Queries,
  callId: string,
  failure: ProviderFailure,
): Promise<void> {
  const row = { ...toStoredFailure(failure), callId };
  await queries.insert(providerFailures).values(row).onConflictDoNothing();
}

/** Returns the failures of a call in order. */
export async function listProviderFailures(queries: Queries, callId: string): Promise<ProviderFailure[]> {
  const rows = await queries
    .select()
    .from(providerFailures)
    .where(eq(providerFailures.callId, callId))
    .orderBy(asc(providerFailures.at), asc(providerFailures.id));
  return rows.map(presentFailure);
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
    .limit(MAX_SUMMARIZED_FAILURES);
  return summarizeByVendor(
    rows.map(({ failure }) => presentFailure(failure)),
    countedSince,
  );
}
