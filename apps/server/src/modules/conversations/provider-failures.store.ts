import { MAX_RECORDED_PROVIDER_FAILURES, type ProviderFailure } from "@parley/contract";
import { and, asc, count, desc, eq, gte } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { conversations } from "./conversations.tables.ts";
import { MAX_SUMMARIZED_FAILURES, presentFailure, toStoredFailure } from "./provider-failures.rules.ts";
import { conversationFailures } from "./provider-failures.tables.ts";

/** Stores failures, up to the limit of a conversation. Rejects if there is no such conversation. */
export async function insertFailures(
  queries: Queries,
  conversationId: string,
  failures: readonly ProviderFailure[],
): Promise<void> {
  const [known] = await queries
    .select({ count: count() })
    .from(conversationFailures)
    .where(eq(conversationFailures.conversationId, conversationId));
  const rows = failures
    .slice(0, Math.max(0, MAX_RECORDED_PROVIDER_FAILURES - (known?.count ?? 0)))
    .map((failure) => ({ ...toStoredFailure(failure), conversationId }));
  if (rows.length > 0) await queries.insert(conversationFailures).values(rows).onConflictDoNothing();
}

/** Returns the failures of a conversation in order. */
export async function listFailures(queries: Queries, conversationId: string): Promise<ProviderFailure[]> {
  const rows = await queries
    .select()
    .from(conversationFailures)
    .where(eq(conversationFailures.conversationId, conversationId))
    .orderBy(asc(conversationFailures.at), asc(conversationFailures.id));
  return rows.map(presentFailure);
}

/** Returns the latest failures in an organization's conversations by text, the latest first. */
export async function listLatestFailures(
  queries: Queries,
  organizationId: string,
  since: Date,
): Promise<ProviderFailure[]> {
  const rows = await queries
    .select({ failure: conversationFailures })
    .from(conversationFailures)
    .innerJoin(conversations, eq(conversations.id, conversationFailures.conversationId))
    .where(and(eq(conversations.organizationId, organizationId), gte(conversationFailures.at, since)))
    .orderBy(desc(conversationFailures.at))
    .limit(MAX_SUMMARIZED_FAILURES);
  return rows.map(({ failure }) => presentFailure(failure));
}
