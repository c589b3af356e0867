import type { PageQuery } from "@parley/contract";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { knowledgeBases } from "./knowledge-bases.tables.ts";

/** In a query of one table, columns are written without their table's name, which is ambiguous here. */
const documentsOfBase = sql.raw("knowledge_documents where knowledge_base_id = knowledge_bases.id");

const counted = {
  id: knowledgeBases.id,
  name: knowledgeBases.name,
  description: knowledgeBases.description,
  createdAt: knowledgeBases.createdAt,
  updatedAt: knowledgeBases.updatedAt,
  documents: sql<number>`(select count(*)::int from ${documentsOfBase})`,
  passages: sql<number>`(select coalesce(sum(passages), 0)::int from ${documentsOfBase} and is_searchable)`,
};

export interface KnowledgeBaseRow {
  id: string;
  name: string;
  description: string | null;
  documents: number;
  passages: number;
  createdAt: Date;
  updatedAt: Date;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(knowledgeBases.organizationId, organizationId), eq(knowledgeBases.id, id));

export async function insertKnowledgeBase(
  queries: Queries,
  base: typeof knowledgeBases.$inferInsert,
): Promise<KnowledgeBaseRow> {
  const [row] = await queries.insert(knowledgeBases).values(base).returning();
  if (row === undefined) throw new Error("the knowledge base was not stored");
  return { ...row, documents: 0, passages: 0 };
}

export async function findKnowledgeBases(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<KnowledgeBaseRow[]> {
  return await queries
    .select(counted)
    .from(knowledgeBases)
    .where(and(eq(knowledgeBases.organizationId, organizationId), inArray(knowledgeBases.id, [...ids])));
}

export async function listKnowledgeBases(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<KnowledgeBaseRow>> {
  const where = eq(knowledgeBases.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, knowledgeBases.createdAt, knowledgeBases.id);
  const rows = await queries
    .select(counted)
    .from(knowledgeBases)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, knowledgeBases, where) };
}

/** Returns whether the knowledge base exists. */
export async function updateKnowledgeBase(
  queries: Queries,
  organizationId: string,
  id: string,
  change: Partial<typeof knowledgeBases.$inferInsert>,
): Promise<boolean> {
  const { rowCount } = await queries.update(knowledgeBases).set(change).where(ownedBy(organizationId, id));
  return (rowCount ?? 0) > 0;
}

/** Locks the knowledge bases in the order of their ids, and returns the ids of those that exist. */
export async function lockKnowledgeBases(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
  strength: "key share" | "no key update" | "update",
): Promise<string[]> {
  const rows = await queries
    .select({ id: knowledgeBases.id })
    .from(knowledgeBases)
    .where(and(eq(knowledgeBases.organizationId, organizationId), inArray(knowledgeBases.id, [...ids])))
    .orderBy(knowledgeBases.id)
    .for(strength);
  return rows.map(({ id }) => id);
}

export async function deleteKnowledgeBase(queries: Queries, id: string): Promise<void> {
  await queries.delete(knowledgeBases).where(eq(knowledgeBases.id, id));
}

/** Makes the processes that search the base read its passages again. */
export async function raiseVersion(queries: Queries, id: string): Promise<void> {
  await queries
    .update(knowledgeBases)
    .set({ version: sql`${knowledgeBases.version} + 1` })
    .where(eq(knowledgeBases.id, id));
}
