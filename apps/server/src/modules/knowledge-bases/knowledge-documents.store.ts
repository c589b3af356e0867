import type { DocumentStatus, PageQuery } from "@parley/contract";
import { and, eq, inArray, isNull, lte, ne, or, sql, type SQL } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { knowledgeDocuments } from "./knowledge-bases.tables.ts";

export type DocumentRow = typeof knowledgeDocuments.$inferSelect;

export interface DocumentFilter extends PageQuery {
  status?: DocumentStatus;
}

const ownedBy = (organizationId: string, knowledgeBaseId: string, id: string) =>
  and(
    eq(knowledgeDocuments.organizationId, organizationId),
    eq(knowledgeDocuments.knowledgeBaseId, knowledgeBaseId),
    eq(knowledgeDocuments.id, id),
  );

export async function insertDocument(
  queries: Queries,
  document: typeof knowledgeDocuments.$inferInsert,
): Promise<DocumentRow> {
  const [row] = await queries.insert(knowledgeDocuments).values(document).returning();
  if (row === undefined) throw new Error("the document was not stored");
  return row;
}

export async function findDocument(
  queries: Queries,
  organizationId: string,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  const [row] = await queries
    .select()
    .from(knowledgeDocuments)
    .where(ownedBy(organizationId, knowledgeBaseId, id));
  return row;
}

/** Finds a document of any organization. */
export async function findAnyDocument(queries: Queries, id: string): Promise<DocumentRow | undefined> {
  const [row] = await queries.select().from(knowledgeDocuments).where(eq(knowledgeDocuments.id, id));
  return row;
}

/** Locks a document of any organization against deletion and other writers. */
export async function lockAnyDocument(queries: Queries, id: string): Promise<DocumentRow | undefined> {
  const [row] = await queries
    .select()
    .from(knowledgeDocuments)
    .where(eq(knowledgeDocuments.id, id))
    .for("update");
  return row;
}

export async function listDocuments(
  queries: Queries,
  knowledgeBaseId: string,
  filter: DocumentFilter,
): Promise<Rows<DocumentRow>> {
  const conditions: SQL[] = [eq(knowledgeDocuments.knowledgeBaseId, knowledgeBaseId)];
  if (filter.status !== undefined) conditions.push(eq(knowledgeDocuments.status, filter.status));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, knowledgeDocuments.createdAt, knowledgeDocuments.id);
  const rows = await queries
    .select()
    .from(knowledgeDocuments)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, knowledgeDocuments, where) };
}

/** Returns the document as changed; `undefined` if it does not exist. */
export async function changeDocument(
  queries: Queries,
  { organizationId, knowledgeBaseId, id }: Pick<DocumentRow, "organizationId" | "knowledgeBaseId" | "id">,
  change: Partial<typeof knowledgeDocuments.$inferInsert>,
): Promise<DocumentRow | undefined> {
  const [row] = await queries
    .update(knowledgeDocuments)
    .set(change)
    .where(ownedBy(organizationId, knowledgeBaseId, id))
    .returning();
  return row;
}

/** Returns whether the document exists. */
export async function updateAnyDocument(
  queries: Queries,
  id: string,
  change: Partial<typeof knowledgeDocuments.$inferInsert>,
): Promise<boolean> {
  const { rowCount } = await queries
    .update(knowledgeDocuments)
    .set(change)
    .where(eq(knowledgeDocuments.id, id));
  return (rowCount ?? 0) > 0;
}

/** Locks a document against deletion and other writers. */
export async function lockDocument(
  queries: Queries,
  organizationId: string,
  knowledgeBaseId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  const [row] = await queries
    .select()
    .from(knowledgeDocuments)
    .where(ownedBy(organizationId, knowledgeBaseId, id))
    .for("update");
  return row;
}

/** Returns whether the document existed. */
export async function deleteDocument(
  queries: Queries,
  organizationId: string,
  knowledgeBaseId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await queries
    .delete(knowledgeDocuments)
    .where(ownedBy(organizationId, knowledgeBaseId, id));
  return (rowCount ?? 0) > 0;
}

/** Has documents that are ready, and that another model embedded, processed again. Returns them. */
export async function reopenOthers(
  queries: Queries,
  { embedder, updatedAt, limit }: { embedder: string; updatedAt: Date; limit: number },
): Promise<Pick<DocumentRow, "id" | "organizationId">[]> {
  const { id, organizationId, status } = knowledgeDocuments;
  const others = queries
    .select({ id })
    .from(knowledgeDocuments)
    .where(and(eq(status, "ready"), sql`${knowledgeDocuments.embedder} is distinct from ${embedder}`))
    .orderBy(id)
    .limit(limit)
    .for("update", { skipLocked: true });
  return await queries
    .update(knowledgeDocuments)
    .set({ status: "processing", embeddedPassages: 0, updatedAt })
    .where(inArray(id, others))
    .returning({ id, organizationId });
}

/**
 * Has due websites read again, and returns them: the one of each organization that is due for the longest time first. Those that are being
 * read wait.
 */
export async function reopenDue(
  queries: Queries,
  { now, limit }: { now: Date; limit: number },
): Promise<Pick<DocumentRow, "id" | "organizationId">[]> {
  const { id, organizationId, nextSyncAt, resyncIntervalHours, status } = knowledgeDocuments;
  const isDue = and(lte(nextSyncAt, now), inArray(status, ["ready", "failed"]));
  const place = sql<number>`row_number() over (partition by ${organizationId} order by ${nextSyncAt})`;
  const due = queries
    .select({ id, place: place.as("place") })
    .from(knowledgeDocuments)
    .where(isDue)
    .as("due");
  const first = queries.select({ id: due.id }).from(due).orderBy(due.place).limit(limit);
  // Another node may have opened them since: the condition is checked again when the row is locked.
  return await queries
    .update(knowledgeDocuments)
    .set({
      status: "queued",
      statusReason: null,
      readAt: null,
      nextSyncAt: sql`${now.toISOString()}::timestamptz + make_interval(hours => ${resyncIntervalHours})`,
      updatedAt: now,
    })
    .where(and(inArray(id, first), isDue))
    .returning({ id, organizationId });
}

/** Ids of the documents of a base whose upload is still stored. */
export async function listUnread(queries: Queries, knowledgeBaseId: string): Promise<string[]> {
  const rows = await queries
    .select({ id: knowledgeDocuments.id })
    .from(knowledgeDocuments)
    .where(and(eq(knowledgeDocuments.knowledgeBaseId, knowledgeBaseId), isNull(knowledgeDocuments.readAt)));
  return rows.map(({ id }) => id);
}

/** Number of passages of the organization's other documents. */
export async function countPassagesBut(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<number> {
  const [row] = await queries
    .select({ count: sql<number>`coalesce(sum(${knowledgeDocuments.passages}), 0)::int` })
    .from(knowledgeDocuments)
    .where(
      and(
        eq(knowledgeDocuments.organizationId, organizationId),
        ne(knowledgeDocuments.id, id),
        or(inArray(knowledgeDocuments.status, ["processing", "ready"]), knowledgeDocuments.isSearchable),
      ),
    );
  return row?.count ?? 0;
}
