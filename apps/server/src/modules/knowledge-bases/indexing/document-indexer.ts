import { errorMessage } from "@parley/conversation/error-message";
import type { Queries } from "../../../platform/database/database.ts";
import { toStorableText } from "../../../platform/database/storable-text.ts";
import type { JobQueue } from "../../../platform/jobs/jobs.ts";
import * as bases from "../knowledge-bases.store.ts";
import * as store from "../knowledge-documents.store.ts";
import * as passages from "../passages.store.ts";
import { type EmbedderSettings, embedderName } from "../embedder.ts";
import { DocumentReadings, type DocumentReadingsOptions } from "./document-readings.ts";
import { EmbeddingError, PassageEmbedder } from "./passage-embedder.ts";

export interface IndexJob {
  documentId: string;
}
export const INDEX_JOB = { name: "knowledge.index" } as const;

/** Has a document read and embedded, or its upload deleted if it was. One at a time for each organization. */
export async function enqueueIndexing(
  jobs: JobQueue,
  transaction: Queries,
  { id: documentId, organizationId }: Pick<store.DocumentRow, "id" | "organizationId">,
): Promise<void> {
  const group = { id: organizationId, concurrency: 1 };
  await jobs.enqueue<IndexJob>(transaction, INDEX_JOB, { documentId }, { group });
}

/** A longer document continues with its next job, behind those of other documents. */
const RUN_MS = 30_000;
/** A document that is not read and embedded by then fails. Its job is repeated for longer. */
const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;
/** Shows progress about every second. */
const PASSAGES_AT_ONCE = 32;
const DOCUMENTS_AT_ONCE = 200;

interface DocumentIndexerOptions extends DocumentReadingsOptions {
  jobs: JobQueue;
  embedder: EmbedderSettings;
}

/**
 * Reads documents and embeds their passages. Each step continues where an interruption left the document: an upload is
 * stored until its passages are, and a passage is embedded once. An interrupted reading of a website begins again.
 */
export class DocumentIndexer {
  readonly #options: DocumentIndexerOptions;
  readonly #readings: DocumentReadings;
  /** Name of the model that embeds. */
  readonly #embedder: string;
  readonly #embedders = new Set<PassageEmbedder>();

  constructor(options: DocumentIndexerOptions) {
    this.#options = options;
    this.#readings = new DocumentReadings(options);
    this.#embedder = embedderName(options.embedder);
  }

  /** Rejects if a later attempt may succeed, for three days. */
  async index(documentId: string): Promise<void> {
    const { database } = this.#options;
    const document = await store.findAnyDocument(database, documentId);
    if (document === undefined) return await this.#readings.deleteUpload(documentId);
    if (document.status === "ready" || document.status === "failed") return;
    try {
      if (document.readAt === null && !(await this.#readings.read(document))) return;
      await this.#embed(document);
    } catch (error) {
      const now = this.#options.clock.now();
      if (now.getTime() - document.updatedAt.getTime() < GIVE_UP_AFTER_MS) throw error;
      const statusReason = toStorableText(
        `It was tried for three days: ${errorMessage(error)}. Delete the document and add it again.`,
      );
      await store.updateAnyDocument(database, documentId, { status: "failed", statusReason, updatedAt: now });
    }
  }

  /** Has documents that another model embedded embedded again: searches find their passages by words meanwhile. */
  async embedAgain(): Promise<void> {
    const { database, jobs, clock } = this.#options;
    for (let isMore = true; isMore;) {
      const documents = await database.transaction(async (transaction) => {
        const change = { embedder: this.#embedder, updatedAt: clock.now(), limit: DOCUMENTS_AT_ONCE };
        const due = await store.reopenOthers(transaction, change);
        for (const document of due) await enqueueIndexing(jobs, transaction, document);
        return due;
      });
      isMore = documents.length === DOCUMENTS_AT_ONCE;
    }
  }

  /** Ends the processes that embed, and readings of websites. Idempotent. */
  close(): void {
    this.#readings.close();
    for (const embedder of this.#embedders) embedder.close();
  }

  async #embed(row: store.DocumentRow): Promise<void> {
    const { id: documentId, organizationId, name } = row;
    const { database, jobs, embedder: settings } = this.#options;
    const embedder = new PassageEmbedder(settings);
    this.#embedders.add(embedder);
    const endsAt = performance.now() + RUN_MS;
    try {
      for (;;) {
        const batch = await passages.listToEmbed(database, documentId, this.#embedder, PASSAGES_AT_ONCE);
        if (batch.length === 0) return await this.#finish(row);
        if (performance.now() > endsAt)
          return await database.transaction(
            async (transaction) =>
              await enqueueIndexing(jobs, transaction, { id: documentId, organizationId }),
          );
        const vectors = await embedder.embed(batch.map((passage) => textToEmbed(name, passage)));
        const embeddings = batch.flatMap(({ id }, at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : [{ id, vector }];
        });
        await database.transaction(async (transaction) => {
          // Locked before its passages, as a deletion does.
          const document = await store.lockAnyDocument(transaction, documentId);
          await passages.storeEmbeddings(transaction, this.#embedder, embeddings);
          const left = await passages.countToEmbed(transaction, documentId, this.#embedder);
          const embeddedPassages = (document?.passages ?? left) - left;
          await store.updateAnyDocument(transaction, documentId, { embeddedPassages, statusReason: null });
        });
      }
    } catch (error) {
      if (error instanceof EmbeddingError)
        await store.updateAnyDocument(database, documentId, {
          statusReason: toStorableText(
            `The passages are not embedded yet: ${error.message}. It is tried again every minute.`,
          ),
        });
      throw error;
    } finally {
      embedder.close();
      this.#embedders.delete(embedder);
    }
  }

  async #finish({ id: documentId, organizationId, knowledgeBaseId }: store.DocumentRow): Promise<void> {
    const { database, clock } = this.#options;
    await database.transaction(async (transaction) => {
      // Locked before its document, as a deletion does.
      await bases.lockKnowledgeBases(transaction, organizationId, [knowledgeBaseId], "no key update");
      const document = await store.lockAnyDocument(transaction, documentId);
      if (document?.status !== "processing") return;
      await store.updateAnyDocument(transaction, documentId, {
        status: "ready",
        statusReason: null,
        isSearchable: true,
        embedder: this.#embedder,
        embeddedPassages: document.passages,
        updatedAt: clock.now(),
      });
      await passages.finishReplacement(transaction, documentId);
      await bases.raiseVersion(transaction, knowledgeBaseId);
    });
  }
}

/** A passage is often understood only under its heading, and a table under the name of its file. */
function textToEmbed(name: string, { heading, text }: passages.PassageText): string {
  const title = name.replace(/\.\w{1,8}$/, "").replaceAll(/[-_]+/g, " ");
  return [title, heading, text].filter((part) => part !== "").join("\n");
}
