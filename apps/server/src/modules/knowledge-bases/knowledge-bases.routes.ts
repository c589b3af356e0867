import {
  addKnowledgeWebsiteRoute,
  createKnowledgeBaseRoute,
  createKnowledgeDocumentRoute,
  deleteKnowledgeBaseRoute,
  deleteKnowledgeDocumentRoute,
  getKnowledgeBaseRoute,
  getKnowledgeDocumentRoute,
  listKnowledgeBasesRoute,
  listKnowledgeDocumentPassagesRoute,
  listKnowledgeDocumentsRoute,
  searchKnowledgeBaseRoute,
  syncKnowledgeDocumentRoute,
  updateKnowledgeBaseRoute,
  updateKnowledgeDocumentRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { KnowledgeBasesService } from "./knowledge-bases.service.ts";
import type { KnowledgeDocumentsService } from "./knowledge-documents.service.ts";

export function bindKnowledgeBaseRoutes(app: FastifyInstance, bases: KnowledgeBasesService): void {
  bindRoute(app, createKnowledgeBaseRoute, async ({ principal, body }) => ({
    data: await bases.create(principal.organizationId, body),
  }));
  bindRoute(app, listKnowledgeBasesRoute, async ({ principal, query }) => {
    return await bases.list(principal.organizationId, query);
  });
  bindRoute(app, getKnowledgeBaseRoute, async ({ principal, params }) => ({
    data: await bases.get(principal.organizationId, params.id),
  }));
  bindRoute(app, updateKnowledgeBaseRoute, async ({ principal, params, body }) => ({
    data: await bases.update(principal.organizationId, params.id, body),
  }));
  bindRoute(app, deleteKnowledgeBaseRoute, async ({ principal, params }) => {
    await bases.delete(principal, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(
    app,
    searchKnowledgeBaseRoute,
    async ({ principal, params, body }) => ({
      data: await bases.search(principal.organizationId, params.id, body),
    }),
    { isRemote: true },
  );
}

export function bindKnowledgeDocumentRoutes(
  app: FastifyInstance,
  documents: KnowledgeDocumentsService,
): void {
  bindRoute(
    app,
    createKnowledgeDocumentRoute,
    async ({ principal, params, body, file }) => ({
      data: await documents.create(principal.organizationId, params.id, { ...body, file }),
    }),
    { isRemote: true },
  );
  bindRoute(app, addKnowledgeWebsiteRoute, async ({ principal, params, body }) => ({
    data: await documents.addWebsite(principal.organizationId, params.id, body),
  }));
  bindRoute(app, syncKnowledgeDocumentRoute, async ({ principal, params }) => ({
    data: await documents.sync(principal.organizationId, params.id, params.documentId),
  }));
  bindRoute(app, listKnowledgeDocumentsRoute, async ({ principal, params, query }) => {
    return await documents.list(principal.organizationId, params.id, query);
  });
  bindRoute(app, getKnowledgeDocumentRoute, async ({ principal, params }) => ({
    data: await documents.get(principal.organizationId, params.id, params.documentId),
  }));
  bindRoute(app, updateKnowledgeDocumentRoute, async ({ principal, params, body }) => ({
    data: await documents.change(principal.organizationId, params.id, params.documentId, body),
  }));
  bindRoute(app, deleteKnowledgeDocumentRoute, async ({ principal, params }) => {
    await documents.delete(principal.organizationId, params.id, params.documentId);
    return { data: { id: params.documentId, deleted: true as const } };
  });
  bindRoute(app, listKnowledgeDocumentPassagesRoute, async ({ principal, params, query }) => {
    return await documents.listPassages(principal.organizationId, params.id, params.documentId, query);
  });
}
