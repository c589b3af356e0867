import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { embedderName } from "./embedder.ts";
import { DocumentReader } from "./extraction/document-reader.ts";
import { DocumentIndexer } from "./indexing/document-indexer.ts";
import { indexDocumentJob, syncWebsitesJob } from "./knowledge-bases.jobs.ts";
import { bindKnowledgeBaseRoutes, bindKnowledgeDocumentRoutes } from "./knowledge-bases.routes.ts";
import { KnowledgeBasesService } from "./knowledge-bases.service.ts";
import { KnowledgeDocumentsService } from "./knowledge-documents.service.ts";
import { WebsiteCrawler } from "./websites/website-crawler.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { KnowledgeSearch } from "./search/knowledge-search.ts";

interface Dependencies {
  organizationLimits: OrganizationLimitsService;
}

export function createKnowledgeBases(
  { config, database, directUrl, storage, jobs, clock, logger }: NodeResources,
  { organizationLimits }: Dependencies,
) {
  const { modelsDirectory, embeddings: endpoint } = config;
  const embedder = { modelsDirectory, endpoint };
  const knowledgeSearch = new KnowledgeSearch({ databaseUrl: directUrl, embedder, logger });
  const shared = { database, storage, jobs, clock, organizationLimits };
  const reader = new DocumentReader();
  const outbound = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const crawler = new WebsiteCrawler({ outbound, reader });
  const documentIndexer = new DocumentIndexer({ ...shared, reader, crawler, embedder });
  const knowledgeBases = new KnowledgeBasesService({
    ...shared,
    search: knowledgeSearch,
    embeddingModel: embedderName(embedder),
  });
  const knowledgeDocuments = new KnowledgeDocumentsService(shared);
  return {
    services: { knowledgeBases, knowledgeDocuments, documentIndexer, knowledgeSearch },
    bindRoutes: (app) => {
      bindKnowledgeBaseRoutes(app, knowledgeBases);
      bindKnowledgeDocumentRoutes(app, knowledgeDocuments);
    },
    startJobs: async (started) => {
      await started.work(indexDocumentJob(documentIndexer));
      await started.work(syncWebsitesJob(knowledgeDocuments));
      await documentIndexer.embedAgain();
    },
    close: async () => {
      reader.close();
      documentIndexer.close();
      await outbound.close();
      await knowledgeSearch.close();
    },
  } satisfies Feature;
}
