import type { PageQuery } from "@parley/contract";
import { and, eq, inArray, isNull, lt, or } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { apiKeys, bootstrapKeys } from "./api-keys.tables.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

export async function findKeyByHash(queries: Queries, hash: string): Promise<ApiKeyRow | undefined> {
  const [row] = await queries.select().from(apiKeys).where(eq(apiKeys.hash, hash));
  return row;
}

export async function findKeysByHash(queries: Queries, hashes: readonly string[]): Promise<ApiKeyRow[]> {
  return await queries
    .select()
    .from(apiKeys)
    .where(inArray(apiKeys.hash, [...hashes]));
}

export async function insertKey(queries: Queries, key: typeof apiKeys.$inferInsert): Promise<ApiKeyRow> {
  const [row] = await queries.insert(apiKeys).values(key).returning();
  if (row === undefined) throw new Error("the API key was not stored");
  return row;
}

/** Inserts a bootstrap key unless it exists or once existed. */
export async function insertBootstrapKey(queries: Queries, key: typeof apiKeys.$inferInsert): Promise<void> {
  const { rowCount } = await queries.insert(bootstrapKeys).values({ hash: key.hash }).onConflictDoNothing();
  if (rowCount === 1) await queries.insert(apiKeys).values(key).onConflictDoNothing();
}

export async function listKeys(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<ApiKeyRow>> {
  const where = eq(apiKeys.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, apiKeys.createdAt, apiKeys.id);
  const rows = await queries
    .select()
    .from(apiKeys)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, apiKeys, where) };
}

export async function lockKey(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  const where = and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id));
  const [row] = await queries.select().from(apiKeys).where(where).for("update");
  return row;
}

export async function updateKey(
  queries: Queries,
  id: string,
  change: Pick<ApiKeyRow, "name" | "role"> & Partial<Pick<ApiKeyRow, "expiresAt">>,
): Promise<ApiKeyRow> {
  const [row] = await queries.update(apiKeys).set(change).where(eq(apiKeys.id, id)).returning();
  if (row === undefined) throw new Error("the API key vanished while it was locked");
  return row;
}

export async function deleteKey(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  const where = and(eq(apiKeys.organizationId, organizationId), eq(apiKeys.id, id));
  const [row] = await queries.delete(apiKeys).where(where).returning();
  return row;
}

/** Updates `lastUsedAt` unless it is later than `unlessSince`. */
export async function touchKey(queries: Queries, id: string, now: Date, unlessSince: Date): Promise<void> {
  const isStale = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessSince));
  await queries
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), isStale));
}
