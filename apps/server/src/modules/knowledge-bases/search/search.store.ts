/** Queries of the search process, which has a connection of its own: vectors never pass through the main process. */
import { readFloats } from "../vectors.ts";
import type { KnowledgePassage } from "@parley/contract";
import type { Pool } from "pg";
import { BASE_WORD_PREFIX } from "../knowledge-bases.tables.ts";
import type { SearchedBases } from "./search-protocol.ts";

const ROWS_AT_ONCE = 2_000;
/** Words of a query that count; further ones are ignored. */
const MAX_WORDS = 24;
/** A word in more passages says nothing about any of them. */
export const MAX_PASSAGES_OF_WORD = 500;

export interface BaseVersion {
  id: string;
  version: number;
}

export async function listVersions(
  pool: Pool,
  { organizationId, knowledgeBaseIds }: SearchedBases,
): Promise<BaseVersion[]> {
  const { rows } = await pool.query<BaseVersion>({
    name: "versions",
    text: "select id, version from knowledge_bases where organization_id = $1 and id = any($2) order by id",
    values: [organizationId, knowledgeBaseIds],
  });
  return rows;
}

/** Vectors of this model of the passages that can be found, in the order of their ids. */
export async function* readVectors(
  pool: Pool,
  knowledgeBaseId: string,
  embedder: string,
): AsyncGenerator<{ id: number; vector: Float32Array }> {
  let after = 0;
  for (;;) {
    const { rows } = await pool.query<{ id: string; embedding: Buffer }>({
      name: "vectors",
      text: `
        select passage.id, passage.embedding from knowledge_passages passage
        where passage.id > $2 and passage.embedder = $3 and passage.document_id = any(
          array(select id from knowledge_documents where knowledge_base_id = $1 and is_searchable)
        )
        order by passage.id limit ${ROWS_AT_ONCE}`,
      values: [knowledgeBaseId, after, embedder],
    });
    for (const { id, embedding } of rows) yield { id: Number(id), vector: readFloats(embedding) };
    if (rows.length < ROWS_AT_ONCE) return;
    after = Number(rows.at(-1)?.id);
  }
}

export async function countVectors(pool: Pool, knowledgeBaseId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select coalesce(sum(passages), 0)::int as count from knowledge_documents
     where knowledge_base_id = $1 and is_searchable`,
    [knowledgeBaseId],
  );
  return rows[0]?.count ?? 0;
}

/** The words of a query as the index has them. */
export async function listLexemes(pool: Pool, query: string): Promise<string[]> {
  const { rows } = await pool.query<{ lexeme: string }>({
    name: "lexemes",
    text: `select lexeme from unnest(to_tsvector('english', $1)) order by lexeme limit ${MAX_WORDS}`,
    values: [query],
  });
  return rows.map(({ lexeme }) => lexeme);
}

/** Ids of the passages that can be found and have each word, at most `MAX_PASSAGES_OF_WORD + 1` each. */
export async function findWords(
  pool: Pool,
  lexemes: readonly string[],
  knowledgeBaseIds: readonly string[],
): Promise<number[][]> {
  const bases = knowledgeBaseIds.map((id) => toTerm(BASE_WORD_PREFIX + id)).join(" | ");
  const { rows } = await pool.query<{ ids: string[] }>({
    name: "words",
    text: `
      select array(
        select id from knowledge_passages
        where words @@ term.query and document_id <> all(hidden.ids) and embedder is not null
        limit ${MAX_PASSAGES_OF_WORD + 1}
      ) as ids
      from unnest($1::tsquery[]) as term (query), (
        select array(
          select id from knowledge_documents
          where knowledge_base_id = any($2) and not is_searchable and passages > 0
        ) as ids
      ) as hidden`,
    values: [lexemes.map((lexeme) => `${toTerm(lexeme)} & (${bases})`), knowledgeBaseIds],
  });
  return rows.map(({ ids }) => ids.map(Number));
}

/** A word in the notation of `tsquery`. */
function toTerm(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

type FoundPassage = Omit<KnowledgePassage, "score">;

/** Passages by id. Those deleted meanwhile are missing. */
export async function findPassages(
  pool: Pool,
  organizationId: string,
  ids: readonly number[],
): Promise<Map<number, FoundPassage>> {
  const { rows } = await pool.query<FoundPassage & { id: string }>({
    name: "passages",
    text: `
      select passage.id, passage.knowledge_base_id as "knowledgeBaseId", passage.document_id as "documentId",
        document.name as "documentName", passage.heading, passage.page, passage.row, passage.url, passage.text
      from knowledge_passages passage join knowledge_documents document on document.id = passage.document_id
      where passage.id = any($1) and document.organization_id = $2 and document.is_searchable`,
    values: [ids, organizationId],
  });
  return new Map(rows.map(({ id, ...passage }) => [Number(id), passage]));
}
