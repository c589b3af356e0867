import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { knowledgePassages } from "./knowledge-bases.tables.ts";
import { writeFloats } from "./vectors.ts";

/** Parameters of a statement are limited to 65,535. */
const ROWS_AT_ONCE = 2_000;

/** A passage of a document, before it is embedded. */
export interface NewPassage {
  text: string;
  heading: string;
  page: number | null;
  row: number | null;
  url: string | null;
}

export async function insertPassages(
  queries: Queries,
  place: { knowledgeBaseId: string; documentId: string },
  passages: readonly NewPassage[],
): Promise<void> {
  for (let at = 0; at < passages.length; at += ROWS_AT_ONCE)
    await queries
      .insert(knowledgePassages)
      .values(passages.slice(at, at + ROWS_AT_ONCE).map((passage) => ({ ...passage, ...place })));
}

export interface PassageText {
  id: number;
  text: string;
  heading: string;
}

/** Returns passages without an embedding, in the document's order. */
export async function listToEmbed(
  queries: Queries,
  documentId: string,
  limit: number,
): Promise<PassageText[]> {
  const { id, text, heading } = knowledgePassages;
  return await queries
    .select({ id, text, heading })
    .from(knowledgePassages)
    .where(and(eq(knowledgePassages.documentId, documentId), isNull(knowledgePassages.embedding)))
    .orderBy(asc(id))
    .limit(limit);
}

export async function countToEmbed(queries: Queries, documentId: string): Promise<number> {
  const [row] = await queries
    .select({ count: count() })
    .from(knowledgePassages)
    .where(and(eq(knowledgePassages.documentId, documentId), isNull(knowledgePassages.embedding)));
  return row?.count ?? 0;
}

/** Stores embeddings in one statement. Those of deleted passages are ignored. */
export async function storeEmbeddings(
  queries: Queries,
  embeddings: readonly { id: number; vector: Float32Array }[],
): Promise<void> {
  const rows = embeddings.map(({ id, vector }) => sql`(${id}::bigint, ${writeFloats(vector)}::bytea)`);
  await queries.execute(sql`
    update ${knowledgePassages} set embedding = computed.embedding
    from (values ${sql.join(rows, sql`, `)}) as computed (id, embedding)
    where ${knowledgePassages.id} = computed.id`);
}
