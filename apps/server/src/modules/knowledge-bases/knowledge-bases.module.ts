import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { DocumentReader } from "./extraction/document-reader.ts";
import { DocumentIndexer } from "./indexing/document-indexer.ts";
import { indexDocumentJob } from "./knowledge-bases.jobs.ts";
import { bindKnowledgeBaseRoutes, bindKnowledgeDocumentRoutes } from "./knowledge-bases.routes.ts";
import { KnowledgeBasesService } from "./knowledge-bases.service.ts";
import { KnowledgeDocumentsService } from "./knowledge-documents.service.ts";
import { KnowledgeSearch } from "./search/knowledge-search.ts";

interface Dependencies {
  organizationLimits: OrganizationLimitsService;
}

export function createKnowledgeBases(
  { config, database, directUrl, storage, jobs, clock, logger }: NodeResources,
  { organizationLimits }: Dependencies,
) {
  const { modelsDirectory } = config;
  const knowledgeSearch = new KnowledgeSearch({ databaseUrl: directUrl, modelsDirectory, logger });
  const shared = { database, storage, jobs, clock, organizationLimits };
  const reader = new DocumentReader();
  const documentIndexer = new DocumentIndexer({ ...shared, reader, logger, modelsDirectory });
  const knowledgeBases = new KnowledgeBasesService({ ...shared, search: knowledgeSearch });
  const knowledgeDocuments = new KnowledgeDocumentsService(shared);
  return {
    services: { knowledgeBases, knowledgeDocuments, documentIndexer, knowledgeSearch },
    bindRoutes: (app) => {
      bindKnowledgeBaseRoutes(app, knowledgeBases);
      bindKnowledgeDocumentRoutes(app, knowledgeDocuments);
    },
    startJobs: async (started) => await started.work(indexDocumentJob(documentIndexer)),
    close: async () => {
      reader.close();
      documentIndexer.close();
      await knowledgeSearch.close();
    },
  } satisfies Feature;
}
