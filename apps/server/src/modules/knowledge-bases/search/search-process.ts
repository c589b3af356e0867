/** Process that searches knowledge bases: it holds their vectors and has queries embedded. */
import type { KnowledgePassage } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import { openSimilarity, type Similarity } from "@parley/providers/embeddings";
import { Pool } from "pg";
import { runChild } from "../../../platform/child-main.ts";
import { embedderName } from "../embedder.ts";
import { type BaseVectors, BaseVectorCache } from "./base-vectors.ts";
import { QueryEmbedder } from "./query-embedder.ts";
import { type Candidates, rankPassages, withoutRepetitions } from "./rank-passages.rules.ts";
import type { FromSearch, KnowledgeQuery, SearchedBases, ToSearch } from "./search-protocol.ts";
import { countVectors, findPassages, listVersions, readVectors } from "./search.store.ts";
import { WordCache } from "./word-cache.ts";

const MAX_CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Further searches are refused. */
const MAX_AT_ONCE = 64;
/** A document may have been uploaded several times. */
const CANDIDATES_PER_PASSAGE = 3;

const NONE: Candidates = { ids: new Float64Array(), similarities: new Float32Array() };

interface Found {
  passages: KnowledgePassage[];
  /** Why only the words of the query were searched. */
  problem: string | undefined;
}

class Search {
  readonly #pool: Pool;
  readonly #vectors: BaseVectorCache;
  readonly #words: WordCache;
  readonly #embedder: QueryEmbedder;
  /** By the vectors' dimensions. */
  readonly #similarities = new Map<number, Promise<Similarity>>();
  #running = 0;

  constructor({ databaseUrl, embedder }: Extract<ToSearch, { type: "configure" }>) {
    this.#pool = new Pool({
      connectionString: databaseUrl,
      max: MAX_CONNECTIONS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
      application_name: "parley-knowledge",
      // A frequent word would otherwise list all of its passages.
      options: "-c gin_fuzzy_search_limit=5000",
    });
    // The next query opens another connection.
    this.#pool.on("error", () => {});
    this.#vectors = new BaseVectorCache({
      countVectors: async (id) => await countVectors(this.#pool, id),
      readVectors: (id) => readVectors(this.#pool, id, embedderName(embedder)),
    });
    this.#words = new WordCache(this.#pool);
    this.#embedder = new QueryEmbedder(embedder);
  }

  /** Reads models and vectors, which the first search then does not wait for. */
  async prepare(bases: SearchedBases): Promise<void> {
    await Promise.all([
      this.#embedder.prepare(),
      ...(await listVersions(this.#pool, bases)).map(async ({ id, version }) => {
        const { groups } = await this.#vectors.get(id, version);
        for (const dimensions of groups.keys()) await this.#open(dimensions);
      }),
    ]);
  }

  async find({ query, limit, threshold, isHurried = false, ...bases }: KnowledgeQuery): Promise<Found> {
    if (this.#running >= MAX_AT_ONCE) throw new Error("too many searches at once");
    this.#running++;
    try {
      const embedding = this.#embedder.embed(query, isHurried);
      // Awaited below, unless the versions cannot be read.
      embedding.catch(() => {});
      const versions = await listVersions(this.#pool, bases);
      const [{ vector, problem }, vectors, wordPassages] = await Promise.all([
        embedding,
        Promise.all(versions.map(async ({ id, version }) => await this.#vectors.get(id, version, isHurried))),
        this.#words.find(query, versions),
      ]);
      const candidates = await Promise.all(vectors.map(async (base) => await this.#compare(base, vector)));
      const ranked = rankPassages(candidates, wordPassages, {
        limit: limit * CANDIDATES_PER_PASSAGE,
        threshold,
        hasUncompared: vectors.some((base, at) => (candidates[at] ?? NONE).ids.length < base.passages),
      });
      const passages = await findPassages(
        this.#pool,
        bases.organizationId,
        ranked.map(({ id }) => id),
      );
      const found = ranked.flatMap(({ id, score }) => {
        const passage = passages.get(id);
        return passage === undefined ? [] : [{ ...passage, score: Math.round(score * 1000) / 1000 }];
      });
      return { passages: withoutRepetitions(found).slice(0, limit), problem };
    } finally {
      this.#running--;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
    await this.#embedder.close();
    for (const similarity of this.#similarities.values()) await (await similarity).close();
  }

  /** Compares the query with the vectors of its length. */
  async #compare({ groups }: BaseVectors, query: Float32Array | undefined): Promise<Candidates> {
    const group = query && groups.get(query.length);
    if (query === undefined || group === undefined) return NONE;
    const similarity = await this.#open(query.length);
    return { ids: group.ids, similarities: await similarity.compare(group.vectors, query) };
  }

  #open(dimensions: number): Promise<Similarity> {
    const similarity = this.#similarities.get(dimensions) ?? openSimilarity(dimensions);
    this.#similarities.set(dimensions, similarity);
    return similarity;
  }
}

let search: Search | undefined;

const { send } = runChild<ToSearch, FromSearch>({
  onMessage: (message) => {
    if (message.type === "configure") {
      search = new Search(message);
      send({ type: "ready" });
      return;
    }
    // The search itself reports what is wrong.
    if (message.type === "prepare") return void search?.prepare(message.bases).catch(() => {});
    const { requestId, query } = message;
    void search?.find(query).then(
      (found) => send({ type: "found", requestId, ...found }),
      (error: unknown) => send({ type: "failed", requestId, reason: errorMessage(error) }),
    );
  },
  close: async () => await search?.close(),
});
