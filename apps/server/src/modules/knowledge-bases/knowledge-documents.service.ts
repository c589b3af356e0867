import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  documentExtensions,
  type DocumentType,
  documentTypes,
  type KnowledgeDocument,
  type KnowledgeWebsite,
  type PageQuery,
} from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { enqueueIndexing } from "./indexing/document-indexer.ts";
import { uploadKey } from "./indexing/document-readings.ts";
import * as bases from "./knowledge-bases.store.ts";
import { knowledgeDocuments } from "./knowledge-bases.tables.ts";
import * as store from "./knowledge-documents.store.ts";
import { listPassages } from "./passages.store.ts";

const STORE_TIMEOUT_MS = 30_000;
const MAX_NAME_LENGTH = 200;
const HOUR_MS = 3_600_000;
/** Websites that a minute's job has read again; the others follow a minute later. */
const MAX_SYNCED_AT_ONCE = 100;
const ROOM = { name: "knowledgeDocuments", table: knowledgeDocuments } as const;

export interface NewDocument {
  name: string;
  type?: DocumentType;
  file: Uint8Array;
}

interface KnowledgeDocumentsDependencies {
  database: Database;
  storage: ObjectStorage;
  jobs: JobQueue;
  clock: Clock;
  organizationLimits: OrganizationLimitsService;
}

/** Documents of knowledge bases. */
export class KnowledgeDocumentsService {
  readonly #dependencies: KnowledgeDocumentsDependencies;

  constructor(dependencies: KnowledgeDocumentsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `not_found` and `limit_reached`. */
  async create(
    organizationId: string,
    knowledgeBaseId: string,
    { name, type = typeOf(name), file }: NewDocument,
  ): Promise<KnowledgeDocument> {
    const { database, storage, organizationLimits } = this.#dependencies;
    await this.#requireBase(organizationId, knowledgeBaseId);
    await organizationLimits.requireRoom(database, organizationId, ROOM);
    const id = randomUUID();
    await storeUpload(storage, id, file);
    try {
      return await this.#insert({ id, organizationId, knowledgeBaseId, name, type, bytes: file.byteLength });
    } catch (error) {
      await storage.delete(uploadKey(id), AbortSignal.timeout(STORE_TIMEOUT_MS)).catch(() => undefined);
      throw error;
    }
  }

  /** Adds a website. Throws `not_found`, `limit_reached` and `invalid_body`. */
  async addWebsite(
    organizationId: string,
    knowledgeBaseId: string,
    {
      url,
      maxPages = 1,
      name,
      resyncIntervalHours = null,
    }: { url: string; maxPages?: number; name?: string; resyncIntervalHours?: number | null },
  ): Promise<KnowledgeDocument> {
    await this.#requireBase(organizationId, knowledgeBaseId);
    const address = URL.parse(url);
    if (address === null || address.username !== "" || address.password !== "")
      throw new AppError("invalid_body", {
        issues: [{ path: "url", message: "must be a web address without a user name" }],
      });
    return await this.#insert({
      id: randomUUID(),
      organizationId,
      knowledgeBaseId,
      name:
        name ?? (address.host + address.pathname).replace(/\/$/, "").slice(0, MAX_NAME_LENGTH).toWellFormed(),
      type: "website",
      bytes: 0,
      website: { url: address.href, maxPages, pages: 0, problems: [], syncedAt: null },
      ...this.#schedule(resyncIntervalHours),
    });
  }

  /** Reads a website again, unless that is already under way. Throws `not_found` and `document_not_website`. */
  async sync(organizationId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeDocument> {
    const { database, clock } = this.#dependencies;
    return await database.transaction(async (transaction) => {
      const row = await store.lockDocument(transaction, organizationId, knowledgeBaseId, id);
      if (row === undefined) throw new AppError("not_found");
      if (row.website === null) throw new AppError("document_not_website");
      if (row.status === "queued" || row.status === "processing") return present(row);
      const change = {
        status: "queued",
        statusReason: null,
        readAt: null,
        updatedAt: clock.now(),
        ...this.#schedule(row.resyncIntervalHours),
      } as const;
      await store.updateAnyDocument(transaction, id, change);
      await enqueueIndexing(this.#dependencies.jobs, transaction, row);
      return present({ ...row, ...change });
    });
  }

  async #insert(
    document: Pick<
      store.DocumentRow,
      "id" | "organizationId" | "knowledgeBaseId" | "name" | "type" | "bytes"
    > & {
      website?: KnowledgeWebsite;
      resyncIntervalHours?: number | null;
      nextSyncAt?: Date | null;
    },
  ): Promise<KnowledgeDocument> {
    const { database, organizationLimits } = this.#dependencies;
    const { organizationId, knowledgeBaseId } = document;
    return await database.transaction(async (transaction) => {
      await organizationLimits.requireRoom(transaction, organizationId, ROOM);
      const ids = [knowledgeBaseId];
      const [found] = await bases.lockKnowledgeBases(transaction, organizationId, ids, "key share");
      if (found === undefined) throw new AppError("not_found");
      const row = await store.insertDocument(transaction, { ...document, status: "queued" });
      await enqueueIndexing(this.#dependencies.jobs, transaction, row);
      return present(row);
    });
  }

  async list(organizationId: string, knowledgeBaseId: string, filter: store.DocumentFilter) {
    await this.#requireBase(organizationId, knowledgeBaseId);
    const { database } = this.#dependencies;
    return toPage(filter, await store.listDocuments(database, knowledgeBaseId, filter), present);
  }

  async get(organizationId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeDocument> {
    const { database } = this.#dependencies;
    const row = await store.findDocument(database, organizationId, knowledgeBaseId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async listPassages(organizationId: string, knowledgeBaseId: string, id: string, query: PageQuery) {
    await this.get(organizationId, knowledgeBaseId, id);
    return toPage(query, await listPassages(this.#dependencies.database, id, query), (passage) => passage);
  }

  /** Throws `not_found` and `document_not_website`. */
  async change(
    organizationId: string,
    knowledgeBaseId: string,
    id: string,
    { name, resyncIntervalHours }: { name?: string; resyncIntervalHours?: number | null },
  ): Promise<KnowledgeDocument> {
    const { database, clock } = this.#dependencies;
    const place = { organizationId, knowledgeBaseId, id };
    return await database.transaction(async (transaction) => {
      const before = await store.lockDocument(transaction, organizationId, knowledgeBaseId, id);
      if (before === undefined) throw new AppError("not_found");
      if (typeof resyncIntervalHours === "number" && before.website === null)
        throw new AppError("document_not_website");
      const isRescheduled =
        resyncIntervalHours !== undefined && resyncIntervalHours !== before.resyncIntervalHours;
      if (name === undefined && !isRescheduled) return present(before);
      const row = await store.changeDocument(transaction, place, {
        ...(name !== undefined && { name }),
        ...(isRescheduled && this.#schedule(resyncIntervalHours)),
        updatedAt: clock.now(),
      });
      if (row === undefined) throw new AppError("not_found");
      return present(row);
    });
  }

  /** Has websites read again that are due. Repeated calls, also of other nodes, read each once. */
  async syncDue(): Promise<void> {
    const { database, clock, jobs } = this.#dependencies;
    await database.transaction(async (transaction) => {
      const due = await store.reopenDue(transaction, { now: clock.now(), limit: MAX_SYNCED_AT_ONCE });
      for (const document of due) await enqueueIndexing(jobs, transaction, document);
    });
  }

  #schedule(
    resyncIntervalHours: number | null,
  ): Pick<store.DocumentRow, "resyncIntervalHours" | "nextSyncAt"> {
    const now = this.#dependencies.clock.now().getTime();
    const nextSyncAt = resyncIntervalHours === null ? null : new Date(now + resyncIntervalHours * HOUR_MS);
    return { resyncIntervalHours, nextSyncAt };
  }

  async delete(organizationId: string, knowledgeBaseId: string, id: string): Promise<void> {
    const { database, jobs } = this.#dependencies;
    await database.transaction(async (transaction) => {
      // Locked before its document, as a deletion of the base does.
      await bases.lockKnowledgeBases(transaction, organizationId, [knowledgeBaseId], "no key update");
      if (!(await store.deleteDocument(transaction, organizationId, knowledgeBaseId, id)))
        throw new AppError("not_found");
      await bases.raiseVersion(transaction, knowledgeBaseId);
      // Deletes the upload, if it was not read yet.
      await enqueueIndexing(jobs, transaction, { id, organizationId });
    });
  }

  async #requireBase(organizationId: string, id: string): Promise<void> {
    const [base] = await bases.findKnowledgeBases(this.#dependencies.database, organizationId, [id]);
    if (base === undefined) throw new AppError("not_found");
  }
}

/** Type by the extension of a name. */
function typeOf(name: string): DocumentType {
  const extension = /\.([A-Za-z]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const found = documentTypes.find((type) =>
    (documentExtensions[type] as readonly string[]).includes(extension),
  );
  return found ?? "text";
}

/** The object storage takes files. */
async function storeUpload(storage: ObjectStorage, documentId: string, bytes: Uint8Array): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-document-"));
  try {
    const file = path.join(folder, "upload");
    await writeFile(file, bytes, { mode: 0o600 });
    await storage.putFile(uploadKey(documentId), file, AbortSignal.timeout(STORE_TIMEOUT_MS));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function present(row: store.DocumentRow): KnowledgeDocument {
  const {
    id,
    knowledgeBaseId,
    name,
    type,
    status,
    statusReason,
    passages,
    embeddedPassages,
    bytes,
    website,
    resyncIntervalHours,
  } = row;
  return {
    id,
    knowledgeBaseId,
    name,
    type,
    status,
    statusReason,
    passages,
    embeddedPassages,
    bytes,
    website,
    resyncIntervalHours,
    nextSyncAt: row.nextSyncAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
