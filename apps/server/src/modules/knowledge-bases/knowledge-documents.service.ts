import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  documentExtensions,
  type DocumentType,
  documentTypes,
  type KnowledgeDocument,
} from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { INDEX_JOB, type IndexJob, uploadKey } from "./indexing/document-indexer.ts";
import * as bases from "./knowledge-bases.store.ts";
import { knowledgeDocuments } from "./knowledge-bases.tables.ts";
import * as store from "./knowledge-documents.store.ts";

const STORE_TIMEOUT_MS = 30_000;

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
    const { database, storage, jobs, organizationLimits } = this.#dependencies;
    await this.#requireBase(organizationId, knowledgeBaseId);
    const room = { name: "knowledgeDocuments", table: knowledgeDocuments } as const;
    await organizationLimits.requireRoom(database, organizationId, room);
    const id = randomUUID();
    await storeUpload(storage, id, file);
    try {
      return await database.transaction(async (transaction) => {
        await organizationLimits.requireRoom(transaction, organizationId, room);
        const ids = [knowledgeBaseId];
        const [found] = await bases.lockKnowledgeBases(transaction, organizationId, ids, "key share");
        if (found === undefined) throw new AppError("not_found");
        const place = { id, organizationId, knowledgeBaseId };
        const about = { name, type, status: "queued", bytes: file.byteLength } as const;
        const row = await store.insertDocument(transaction, { ...place, ...about });
        const group = { id: organizationId, concurrency: 1 };
        await jobs.enqueue<IndexJob>(transaction, INDEX_JOB, { documentId: id }, { group });
        return present(row);
      });
    } catch (error) {
      await storage.delete(uploadKey(id), AbortSignal.timeout(STORE_TIMEOUT_MS)).catch(() => undefined);
      throw error;
    }
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

  async rename(
    organizationId: string,
    knowledgeBaseId: string,
    id: string,
    name: string | undefined,
  ): Promise<KnowledgeDocument> {
    if (name === undefined) return await this.get(organizationId, knowledgeBaseId, id);
    const { database, clock } = this.#dependencies;
    const place = { organizationId, knowledgeBaseId, id };
    const row = await store.renameDocument(database, place, { name, updatedAt: clock.now() });
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async delete(organizationId: string, knowledgeBaseId: string, id: string): Promise<void> {
    const { database, jobs } = this.#dependencies;
    await database.transaction(async (transaction) => {
      if (!(await store.deleteDocument(transaction, organizationId, knowledgeBaseId, id)))
        throw new AppError("not_found");
      await bases.raiseVersion(transaction, knowledgeBaseId);
      // Deletes the upload, if it was not read yet.
      await jobs.enqueue<IndexJob>(transaction, INDEX_JOB, { documentId: id });
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
  const { id, knowledgeBaseId, name, type, status, statusReason, passages, embeddedPassages, bytes } = row;
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
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
