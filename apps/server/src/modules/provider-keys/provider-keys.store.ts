import { and, asc, eq, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { providerKeys } from "./provider-keys.tables.ts";

export type KeyRow = typeof providerKeys.$inferSelect;
type KeyInsert = typeof providerKeys.$inferInsert;

/** Stores a key, in place of the organization's other one at the provider. */
export async function upsertKey(queries: Queries, key: KeyInsert & { updatedAt: Date }): Promise<KeyRow> {
  const { encryptedApiKey, last4, updatedAt } = key;
  const [row] = await queries
    .insert(providerKeys)
    .values(key)
    .onConflictDoUpdate({
      target: [providerKeys.organizationId, providerKeys.provider],
      set: { encryptedApiKey, last4, updatedAt },
    })
    .returning();
  if (row === undefined) throw new Error("the key was not stored");
  return row;
}

const keysOf = prepareOnce((queries) =>
  queries
    .select()
    .from(providerKeys)
    .where(eq(providerKeys.organizationId, sql.placeholder("organizationId")))
    .orderBy(asc(providerKeys.provider))
    .prepare(""),
);

export async function listKeys(queries: Queries, organizationId: string): Promise<KeyRow[]> {
  return await keysOf(queries).execute({ organizationId });
}

export async function findKey(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<KeyRow | undefined> {
  const [row] = await queries.select().from(providerKeys).where(ownedBy(organizationId, id));
  return row;
}

/** Returns false if there is no such key. */
export async function deleteKey(queries: Queries, organizationId: string, id: string): Promise<boolean> {
  const rows = await queries
    .delete(providerKeys)
    .where(ownedBy(organizationId, id))
    .returning({ id: providerKeys.id });
  return rows.length > 0;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(providerKeys.organizationId, organizationId), eq(providerKeys.id, id));
