/** Process that searches knowledge bases: it holds their vectors and embeds queries. */
import type { KnowledgePassage } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import {
  loadMiniLm,
  MINILM_DIMENSIONS,
  type MiniLm,
  openSimilarity,
  type Similarity,
} from "@parley/providers/embeddings";
import { ensureModels } from "@parley/providers/models";
import { Pool } from "pg";
import { runChild } from "../../../platform/child-main.ts";
import { BaseVectorCache } from "./base-vectors.ts";
import { rankPassages } from "./rank-passages.rules.ts";
import type { FromSearch, KnowledgeQuery, SearchedBases, ToSearch } from "./search-protocol.ts";
import { findPassages, findWords, listVersions } from "./search.store.ts";

const MAX_CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 10_000;
const EMBED_TIMEOUT_MS = 5_000;
/** Further searches are refused. */
const MAX_AT_ONCE = 64;

interface Models {
  miniLm: MiniLm;
  similarity: Similarity;
}

class Search {
  readonly #pool: Pool;
  readonly #vectors: BaseVectorCache;
  readonly #modelsDirectory: string;
  #models: Promise<Models> | undefined;
  #running = 0;

  constructor({ databaseUrl, modelsDirectory }: Extract<ToSearch, { type: "configure" }>) {
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
    this.#vectors = new BaseVectorCache(this.#pool, MINILM_DIMENSIONS);
    this.#modelsDirectory = modelsDirectory;
  }

  /** Reads models and vectors, which the first search then does not wait for. */
  async prepare(bases: SearchedBases): Promise<void> {
    await Promise.all([
      this.#open(),
      ...(await listVersions(this.#pool, bases)).map(
        async ({ id, version }) => await this.#vectors.get(id, version),
      ),
    ]);
  }

  async find({ query, limit, threshold, ...bases }: KnowledgeQuery): Promise<KnowledgePassage[]> {
    if (this.#running >= MAX_AT_ONCE) throw new Error("too many searches at once");
    this.#running++;
    try {
      const [{ miniLm, similarity }, versions] = await Promise.all([
        this.#open(),
        listVersions(this.#pool, bases),
      ]);
      const ids = versions.map(({ id }) => id);
      const [[vector = new Float32Array()], wordPassages, loaded] = await Promise.all([
        miniLm.embed([query], AbortSignal.timeout(EMBED_TIMEOUT_MS)),
        findWords(this.#pool, query, ids),
        Promise.all(versions.map(async ({ id, version }) => await this.#vectors.get(id, version))),
      ]);
      const candidates = await Promise.all(
        loaded.map(async ({ ids: passages, vectors }) => ({
          ids: passages,
          similarities: await similarity.compare(vectors, vector),
        })),
      );
      const ranked = rankPassages(candidates, wordPassages, { limit, threshold });
      const passages = await findPassages(
        this.#pool,
        bases.organizationId,
        ranked.map(({ id }) => id),
      );
      return ranked.flatMap(({ id, score }) => {
        const passage = passages.get(id);
        return passage === undefined ? [] : [{ ...passage, score: Math.round(score * 1000) / 1000 }];
      });
    } finally {
      this.#running--;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
    const models = await this.#models;
    await Promise.all([models?.miniLm.close(), models?.similarity.close()]);
  }

  /** A failure, such as a download without internet access, is repeated at the next search. */
  #open(): Promise<Models> {
    this.#models ??= this.#load().catch((error: unknown) => {
      this.#models = undefined;
      throw error;
    });
    return this.#models;
  }

  async #load(): Promise<Models> {
    const modelsDir = await ensureModels({ modelsDir: this.#modelsDirectory, groups: ["minilm"] });
    const [miniLm, similarity] = await Promise.all([
      loadMiniLm({ modelsDir }),
      openSimilarity(MINILM_DIMENSIONS),
    ]);
    return { miniLm, similarity };
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
      (passages) => send({ type: "found", requestId, passages }),
      (error: unknown) => send({ type: "failed", requestId, reason: errorMessage(error) }),
    );
  },
  close: async () => await search?.close(),
});
