import type { PageQuery } from "@parley/contract";
import { and, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { folders } from "./folders.tables.ts";

export type FolderRow = typeof folders.$inferSelect;

const ownedBy = (organizationId: string, id: string) =>
  and(eq(folders.organizationId, organizationId), eq(folders.id, id));

export async function insertFolder(
  queries: Queries,
  folder: typeof folders.$inferInsert,
): Promise<FolderRow> {
  const [row] = await queries.insert(folders).values(folder).returning();
  if (row === undefined) throw new Error("the folder was not stored");
  return row;
}

export async function findFolders(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<FolderRow[]> {
  return await queries
    .select()
    .from(folders)
    .where(and(eq(folders.organizationId, organizationId), inArray(folders.id, [...ids])));
}

/** Locks the folder against deletion (`key share`), or also against use (`update`). */
export async function lockFolder(
  queries: Queries,
  organizationId: string,
  id: string,
  strength: "key share" | "update",
): Promise<FolderRow | undefined> {
  const [row] = await queries.select().from(folders).where(ownedBy(organizationId, id)).for(strength);
  return row;
}

export async function listFolders(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<FolderRow>> {
  const where = eq(folders.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, folders.createdAt, folders.id);
  const rows = await queries
    .select()
    .from(folders)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, folders, where) };
}

export async function updateFolder(
  queries: Queries,
  organizationId: string,
  id: string,
  change: Partial<typeof folders.$inferInsert>,
): Promise<FolderRow | undefined> {
  const [row] = await queries.update(folders).set(change).where(ownedBy(organizationId, id)).returning();
  return row;
}

export async function deleteFolder(queries: Queries, id: string): Promise<void> {
  await queries.delete(folders).where(eq(folders.id, id));
}
