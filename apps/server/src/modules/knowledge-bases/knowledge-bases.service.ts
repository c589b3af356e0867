import type {
  KnowledgeBase,
  KnowledgeBaseChange,
  KnowledgeBaseCreation,
  KnowledgePassage,
  PageQuery,
} from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Author } from "../../platform/author.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { enqueueIndexing } from "./indexing/document-indexer.ts";
import * as store from "./knowledge-bases.store.ts";
import { knowledgeBases } from "./knowledge-bases.tables.ts";
import { listUnread } from "./knowledge-documents.store.ts";
import type { KnowledgeSearch } from "./search/knowledge-search.ts";

/** The first search after the start loads the model. */
const SEARCH_DEADLINE_MS = 20_000;
const DEFAULT_LIMIT = 5;

interface KnowledgeBasesDependencies {
  database: Database;
  clock: Clock;
  jobs: JobQueue;
  search: Pick<KnowledgeSearch, "search">;
  /** Name of the model that embeds passages. */
  embeddingModel: string;
  organizationLimits: OrganizationLimitsService;
}

export class KnowledgeBasesService {
  readonly #dependencies: KnowledgeBasesDependencies;
  /** Emitted before a knowledge base is deleted, with it locked: listeners remove their references to it. */
  readonly deleting = new TransactionEvent<{ by: Author; knowledgeBaseId: string }>();

  constructor(dependencies: KnowledgeBasesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `limit_reached`. */
  async create(
    organizationId: string,
    { name, description = null }: KnowledgeBaseCreation,
  ): Promise<KnowledgeBase> {
    const { database, organizationLimits } = this.#dependencies;
    return await database.transaction(async (transaction) => {
      await organizationLimits.requireRoom(transaction, organizationId, {
        name: "knowledgeBases",
        table: knowledgeBases,
      });
      return this.#present(
        await store.insertKnowledgeBase(transaction, { organizationId, name, description }),
      );
    });
  }

  async get(organizationId: string, id: string): Promise<KnowledgeBase> {
    const [row] = await store.findKnowledgeBases(this.#dependencies.database, organizationId, [id]);
    if (row === undefined) throw new AppError("not_found");
    return this.#present(row);
  }

  async list(organizationId: string, query: PageQuery) {
    const { database } = this.#dependencies;
    return toPage(query, await store.listKnowledgeBases(database, organizationId, query), (row) =>
      this.#present(row),
    );
  }

  async update(
    organizationId: string,
    id: string,
    { name, description }: KnowledgeBaseChange,
  ): Promise<KnowledgeBase> {
    const { database, clock } = this.#dependencies;
    const change = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      updatedAt: clock.now(),
    };
    if (!(await store.updateKnowledgeBase(database, organizationId, id, change)))
      throw new AppError("not_found");
    return await this.get(organizationId, id);
  }

  async delete(by: Author, id: string): Promise<void> {
    const { database, jobs } = this.#dependencies;
    await database.transaction(async (transaction) => {
      const [found] = await store.lockKnowledgeBases(transaction, by.organizationId, [id], "update");
      if (found === undefined) throw new AppError("not_found");
      await this.deleting.emit(transaction, { by, knowledgeBaseId: id });
      const unread = await listUnread(transaction, id);
      await store.deleteKnowledgeBase(transaction, id);
      // Deletes the uploads.
      for (const documentId of unread)
        await enqueueIndexing(jobs, transaction, { id: documentId, organizationId: by.organizationId });
    });
  }

  /** Throws `not_found` and `capacity_exceeded`. */
  async search(
    organizationId: string,
    id: string,
    { query, limit = DEFAULT_LIMIT, threshold = 0 }: { query: string; limit?: number; threshold?: number },
  ): Promise<KnowledgePassage[]> {
    await this.get(organizationId, id);
    const { search } = this.#dependencies;
    const knowledgeBaseIds = [id];
    return await search.search(
      { organizationId, knowledgeBaseIds, query, limit, threshold },
      SEARCH_DEADLINE_MS,
    );
  }

  /** Ids of those that exist. They cannot be deleted until the transaction ends. */
  async lockForReference(
    transaction: Queries,
    organizationId: string,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    return new Set(await store.lockKnowledgeBases(transaction, organizationId, ids, "key share"));
  }

  #present({ createdAt, updatedAt, ...row }: store.KnowledgeBaseRow): KnowledgeBase {
    const { id, name, description, documents, passages } = row;
    return {
      id,
      name,
      description,
      documents,
      passages,
      embeddingModel: this.#dependencies.embeddingModel,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    };
  }
}
