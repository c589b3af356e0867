import type { DocumentType, KnowledgeWebsite } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import type { ObjectStorage } from "../../../platform/object-storage/object-storage.ts";
import type { OrganizationLimitsService } from "../../organizations/organization-limits.ts";
import type { DocumentReader } from "../extraction/document-reader.ts";
import * as store from "../knowledge-documents.store.ts";
import * as passages from "../passages.store.ts";
import { type Crawl, MAX_PROBLEMS, type WebsiteCrawler } from "../websites/website-crawler.ts";

const STORAGE_TIMEOUT_MS = 60_000;

export interface DocumentReadingsOptions {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  reader: Pick<DocumentReader, "read">;
  crawler: Pick<WebsiteCrawler, "crawl">;
  organizationLimits: OrganizationLimitsService;
}

/** Reads uploads and websites, and stores their passages. */
export class DocumentReadings {
  readonly #options: DocumentReadingsOptions;
  readonly #closing = new AbortController();

  constructor(options: DocumentReadingsOptions) {
    this.#options = options;
  }

  /** Stores the passages of a document. Returns false if it has none, or was deleted. */
  async read(document: store.DocumentRow): Promise<boolean> {
    const { id, type, website } = document;
    await store.updateAnyDocument(this.#options.database, id, { status: "processing" });
    if (website !== null) return await this.#readWebsite(document, website);
    if (type === "website") throw new Error(`the website ${id} has no address`);
    return await this.#readUpload({ ...document, type });
  }

  async #readUpload({
    id,
    type,
    organizationId,
    knowledgeBaseId,
  }: store.DocumentRow & { type: DocumentType }): Promise<boolean> {
    const { database, storage, reader, clock } = this.#options;
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
      const count = extraction.passages.length;
      const excess = await this.#findExcess(transaction, { id, organizationId }, count);
      if (excess !== undefined) return await fail(excess);
      await passages.insertPassages(transaction, { knowledgeBaseId, documentId: id }, extraction.passages);
      const read = { passages: count, embeddedPassages: 0, readAt, updatedAt: readAt };
      await store.updateAnyDocument(transaction, id, read);
      return true;
    });
    await this.deleteUpload(id);
    return isRead;
  }

  /** Why the organization may not have so many passages of a document. Completes "The document …". */
  async #findExcess(
    transaction: Queries,
    { id, organizationId }: { id: string; organizationId: string },
    count: number,
  ): Promise<string | undefined> {
    const { organizationLimits } = this.#options;
    await organizationLimits.lock(transaction, organizationId);
    const limit = (await organizationLimits.find(organizationId, transaction)).knowledgePassages;
    const has = await store.countPassagesBut(transaction, organizationId, id);
    if (has + count <= limit) return undefined;
    return `has ${count} passages, which exceeds the organization's limit of ${limit} (${has} are in use). Delete other documents, or ask the operator to raise the limit knowledgePassages`;
  }

  /** A website that cannot be read leaves what was read before. */
  async #readWebsite(document: store.DocumentRow, website: KnowledgeWebsite): Promise<boolean> {
    const { database, clock, crawler } = this.#options;
    const { id, organizationId, knowledgeBaseId } = document;
    const crawl = await crawler
      .crawl({
        ...website,
        signal: this.#closing.signal,
        onPage: async (pages) => {
          const isThere = await store.updateAnyDocument(database, id, { website: { ...website, pages } });
          if (!isThere) throw new DocumentDeletedError();
        },
      })
      .catch((error: unknown) => {
        if (error instanceof DocumentDeletedError) return undefined;
        throw error;
      });
    if (crawl === undefined) return false;
    return await database.transaction(async (transaction) => {
      const current = await store.lockAnyDocument(transaction, id);
      if (current === undefined || current.readAt !== null) return current !== undefined;
      const now = clock.now();
      const [count, reason] = await this.#replacePassages(
        transaction,
        { id, organizationId, knowledgeBaseId },
        crawl,
      );
      const problems = [...crawl.problems];
      if (reason !== undefined) problems.unshift({ url: website.url, reason });
      const isRead = count !== undefined;
      await store.updateAnyDocument(transaction, id, {
        readAt: now,
        updatedAt: now,
        website: {
          ...website,
          pages: isRead ? crawl.pages.length : website.pages,
          problems: problems.slice(0, MAX_PROBLEMS),
          syncedAt: isRead ? now.toISOString() : website.syncedAt,
        },
        ...(isRead ? { passages: count, bytes: crawl.bytes } : {}),
        ...(isRead || current.isSearchable ? {} : failureOf(problems)),
      });
      return isRead || current.isSearchable;
    });
  }

  /** Returns the number of passages; without it nothing was read, and a reason why if the limit is the cause. */
  async #replacePassages(
    transaction: Queries,
    {
      id,
      organizationId,
      knowledgeBaseId,
    }: Pick<store.DocumentRow, "id" | "organizationId" | "knowledgeBaseId">,
    { pages, mayRemain }: Crawl,
  ): Promise<[count: number | undefined, reason?: string]> {
    if (pages.length === 0) return [undefined];
    const found = pages.flatMap((page) => page.passages);
    const excess = await this.#findExcess(transaction, { id, organizationId }, found.length);
    if (excess !== undefined) return [undefined, `The website ${excess}.`];
    const place = { knowledgeBaseId, documentId: id };
    return [await passages.replacePassages(transaction, place, { passages: found, isKept: mayRemain })];
  }

  /** Deletes what was uploaded, if it is still stored. */
  async deleteUpload(documentId: string): Promise<void> {
    await this.#options.storage.delete(uploadKey(documentId), AbortSignal.timeout(STORAGE_TIMEOUT_MS));
  }

  /** Ends readings of websites. Idempotent. */
  close(): void {
    this.#closing.abort(new Error("the node is shutting down"));
  }
}

/** The document was deleted while its website was read. */
class DocumentDeletedError extends Error {}

function failureOf(problems: KnowledgeWebsite["problems"]) {
  const [first] = problems;
  const statusReason =
    first === undefined ? "The website has no page with text." : `${first.url}: ${first.reason}`;
  return { status: "failed", statusReason } as const;
}

/** Key of an upload in the object storage. */
export function uploadKey(documentId: string): string {
  return `knowledge/${documentId}`;
}
