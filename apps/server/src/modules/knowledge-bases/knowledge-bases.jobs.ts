import type { JobKind } from "../../platform/jobs/jobs.ts";
import { type DocumentIndexer, INDEX_JOB, type IndexJob } from "./indexing/document-indexer.ts";
import type { KnowledgeDocumentsService } from "./knowledge-documents.service.ts";

/** More than three days, with intervals of at most a minute: a server that embeds may fail for long. */
const RETRIES = 5_000;
/** Longer than reading a document and one run of embedding it. */
const EXPIRE_SECONDS = 240;

export function indexDocumentJob(indexer: DocumentIndexer): JobKind<IndexJob> {
  return {
    ...INDEX_JOB,
    concurrency: 2,
    isGrouped: true,
    retries: RETRIES,
    expireSeconds: EXPIRE_SECONDS,
    run: async ({ documentId }) => await indexer.index(documentId),
  };
}

export function syncWebsitesJob(documents: Pick<KnowledgeDocumentsService, "syncDue">): JobKind<object> {
  return {
    name: "knowledge.sync",
    cron: "* * * * *",
    run: async () => await documents.syncDue(),
  };
}
