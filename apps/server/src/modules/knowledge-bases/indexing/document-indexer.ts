import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { JobQueue } from "../../../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../../../platform/object-storage/object-storage.ts";
import type { OrganizationLimitsService } from "../../organizations/organization-limits.ts";
import type { DocumentReader } from "../extraction/document-reader.ts";
import * as bases from "../knowledge-bases.store.ts";
import * as store from "../knowledge-documents.store.ts";
import * as passages from "../passages.store.ts";
import { PassageEmbedder } from "./passage-embedder.ts";

export interface IndexJob {
  documentId: string;
}
export const INDEX_JOB = { name: "knowledge.index" } as const;

const STORAGE_TIMEOUT_MS = 60_000;
/** A longer document continues with its next job, behind those of other documents. */
const RUN_MS = 30_000;
/** Shows progress about every second. */
const PASSAGES_AT_ONCE = 32;

interface DocumentIndexerOptions {
  database: Database;
  storage: ObjectStorage;
  jobs: JobQueue;
  clock: Clock;
  logger: Logger;
  modelsDirectory: string;
  reader: Pick<DocumentReader, "read">;
  organizationLimits: OrganizationLimitsService;
}

/**
 * Reads documents and embeds their passages. Each step continues where an interruption left the document: an upload is
 * stored until its passages are, and a passage is embedded once.
 */
export class DocumentIndexer {
  readonly #options: DocumentIndexerOptions;
  readonly #embedders = new Set<PassageEmbedder>();

  constructor(options: DocumentIndexerOptions) {
    this.#options = options;
  }

  /** Rejects if a later attempt may succeed. */
  async index(documentId: string): Promise<void> {
    const { database } = this.#options;
    const document = await store.findAnyDocument(database, documentId);
    if (document === undefined) return await this.#deleteUpload(documentId);
    if (document.status === "ready" || document.status === "failed") return;
    if (document.readAt === null && !(await this.#read(document))) return;
    await this.#embed(documentId);
  }

  /** Ends the processes that embed. Idempotent. */
  close(): void {
    for (const embedder of this.#embedders) embedder.close();
  }

  /** Stores the passages of a document. Returns false if it has none, or was deleted. */
  async #read({ id, type, organizationId, knowledgeBaseId }: store.DocumentRow): Promise<boolean> {
    const { database, storage, reader, clock, organizationLimits } = this.#options;
    await store.updateAnyDocument(database, id, { status: "processing" });
    const bytes = await storage.read(uploadKey(id), AbortSignal.timeout(STORAGE_TIMEOUT_MS));
    const extraction = await reader.read({ bytes, type });
    const isRead = await database.transaction(async (transaction) => {
      const document = await store.lockAnyDocument(transaction, id);
      // Deleted meanwhile, or read by another node.
      if (document === undefined || document.readAt !== null) return document !== undefined;
      const readAt = clock.now();
      const fail = async (reason: string): Promise<false> => {
        const statusReason = `The document ${reason}.`;
        await store.updateAnyDocument(transaction, id, {
          status: "failed",
          statusReason,
          readAt,
          updatedAt: readAt,
        });
        return false;
      };
      if (extraction.reason !== undefined) return await fail(extraction.reason);
      await organizationLimits.lock(transaction, organizationId);
      const limit = (await organizationLimits.find(organizationId, transaction)).knowledgePassages;
      const count = extraction.passages.length;
      const has = await store.countPassages(transaction, organizationId);
      if (has + count > limit)
        return await fail(
          `has ${count} passages, which exceeds the organization's limit of ${limit} (${has} are in use). Delete other documents, or ask the operator to raise the limit knowledgePassages`,
        );
      await passages.insertPassages(transaction, { knowledgeBaseId, documentId: id }, extraction.passages);
      const read = { passages: count, embeddedPassages: 0, readAt, updatedAt: readAt };
      await store.updateAnyDocument(transaction, id, read);
      return true;
    });
    await this.#deleteUpload(id);
    return isRead;
  }

  async #embed(documentId: string): Promise<void> {
    const { database, jobs, modelsDirectory } = this.#options;
    const embedder = new PassageEmbedder(modelsDirectory);
    this.#embedders.add(embedder);
    const endsAt = performance.now() + RUN_MS;
    try {
      for (;;) {
        const batch = await passages.listToEmbed(database, documentId, PASSAGES_AT_ONCE);
        if (batch.length === 0) return await this.#finish(documentId);
        if (performance.now() > endsAt)
          return await database.transaction(
            async (transaction) => await jobs.enqueue<IndexJob>(transaction, INDEX_JOB, { documentId }),
          );
        const vectors = await embedder.embed(batch.map(({ heading, text }) => textToEmbed(heading, text)));
        const embeddings = batch.flatMap(({ id }, at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : [{ id, vector }];
        });
        await database.transaction(async (transaction) => {
          await passages.storeEmbeddings(transaction, embeddings);
          const document = await store.lockAnyDocument(transaction, documentId);
          const left = await passages.countToEmbed(transaction, documentId);
          const embeddedPassages = (document?.passages ?? left) - left;
          await store.updateAnyDocument(transaction, documentId, { embeddedPassages });
        });
      }
    } finally {
      embedder.close();
      this.#embedders.delete(embedder);
    }
  }

  async #finish(documentId: string): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction(async (transaction) => {
      const document = await store.lockAnyDocument(transaction, documentId);
      if (document?.status !== "processing") return;
      const updatedAt = clock.now();
      await store.updateAnyDocument(transaction, documentId, { status: "ready", updatedAt });
      await bases.raiseVersion(transaction, document.knowledgeBaseId);
    });
  }

  async #deleteUpload(documentId: string): Promise<void> {
    await this.#options.storage.delete(uploadKey(documentId), AbortSignal.timeout(STORAGE_TIMEOUT_MS));
  }
}

/** Key of an upload in the object storage. */
export function uploadKey(documentId: string): string {
  return `knowledge/${documentId}`;
}

/** A passage is often understood only under its heading. */
function textToEmbed(heading: string, text: string): string {
  return heading === "" ? text : `${heading}\n${text}`;
}
