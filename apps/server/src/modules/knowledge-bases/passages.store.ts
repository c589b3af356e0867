import type { KnowledgeDocumentPassage, PageQuery } from "@parley/contract";
import { and, asc, count, eq, not, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
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

/**
 * Makes these the passages of a website, for which `finishReplacement` is needed. A passage with the same address, heading and text stays,
 * with its embedding; the others are found until then.
 *
 * @param isKept Whether the passages of a page stay as they are.
 * @returns the number of passages that the document has.
 */
export async function replacePassages(
  queries: Queries,
  place: { knowledgeBaseId: string; documentId: string },
  { passages, isKept }: { passages: readonly NewPassage[]; isKept: (url: string) => boolean },
): Promise<number> {
  const { id, url, heading, text } = knowledgePassages;
  const ofDocument = eq(knowledgePassages.documentId, place.documentId);
  const before = await queries.select({ id, url, heading, text }).from(knowledgePassages).where(ofDocument);
  const kept: number[] = [];
  const free = new Map<string, number[]>();
  for (const passage of before) {
    if (passage.url !== null && isKept(passage.url)) kept.push(passage.id);
    else free.set(keyOf(passage), [...(free.get(keyOf(passage)) ?? []), passage.id]);
  }
  const added: NewPassage[] = [];
  for (const passage of passages) {
    const same = free.get(keyOf(passage))?.shift();
    if (same === undefined) added.push(passage);
    else kept.push(same);
  }
  await queries
    .update(knowledgePassages)
    .set({ isOld: sql`not (${id} = any(${sql.param(kept)}::bigint[]))` })
    .where(ofDocument);
  await insertPassages(queries, place, added);
  return kept.length + added.length;
}

/** Deletes the passages that the latest reading of the website does not have. */
export async function finishReplacement(queries: Queries, documentId: string): Promise<void> {
  await queries
    .delete(knowledgePassages)
    .where(and(eq(knowledgePassages.documentId, documentId), knowledgePassages.isOld));
}

function keyOf({ url, heading, text }: Pick<NewPassage, "url" | "heading" | "text">): string {
  return JSON.stringify([url, heading, text]);
}

export interface PassageText {
  id: number;
  text: string;
  heading: string;
}

function toEmbed(documentId: string, embedder: string) {
  const { isOld } = knowledgePassages;
  const isDue = sql`${knowledgePassages.embedder} is distinct from ${embedder}`;
  return and(eq(knowledgePassages.documentId, documentId), not(isOld), isDue);
}

/** Returns passages without an embedding of this model, in the document's order. */
export async function listToEmbed(
  queries: Queries,
  documentId: string,
  embedder: string,
  limit: number,
): Promise<PassageText[]> {
  const { id, text, heading } = knowledgePassages;
  return await queries
    .select({ id, text, heading })
    .from(knowledgePassages)
    .where(toEmbed(documentId, embedder))
    .orderBy(asc(id))
    .limit(limit);
}

export async function countToEmbed(queries: Queries, documentId: string, embedder: string): Promise<number> {
  const [row] = await queries
    .select({ count: count() })
    .from(knowledgePassages)
    .where(toEmbed(documentId, embedder));
  return row?.count ?? 0;
}

/** Stores embeddings in one statement. Those of deleted passages are ignored. */
export async function storeEmbeddings(
  queries: Queries,
  embedder: string,
  embeddings: readonly { id: number; vector: Float32Array }[],
): Promise<void> {
  const rows = embeddings.map(({ id, vector }) => sql`(${id}::bigint, ${writeFloats(vector)}::bytea)`);
  await queries.execute(sql`
    update ${knowledgePassages} set embedding = computed.embedding, embedder = ${embedder}
    from (values ${sql.join(rows, sql`, `)}) as computed (id, embedding)
    where ${knowledgePassages.id} = computed.id`);
}

/** Passages of a document, by their place in it. */
export async function listPassages(
  queries: Queries,
  documentId: string,
  query: PageQuery,
): Promise<Rows<KnowledgeDocumentPassage>> {
  const { heading, page, row, url, text, embedding, id } = knowledgePassages;
  const where = and(eq(knowledgePassages.documentId, documentId), not(knowledgePassages.isOld));
  const { limit, offset, orderBy } = pageOf(query, id, id);
  const rows = await queries
    .select({ heading, page, row, url, text, isEmbedded: sql<boolean>`${embedding} is not null` })
    .from(knowledgePassages)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, knowledgePassages, where) };
}
