import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readPage } from "../../ui/search-params.ts";
import { documentStatuses, type DocumentStatus } from "./document-words.ts";

export interface DocumentsSearch {
  page?: number | undefined;
  status?: DocumentStatus | undefined;
}

const basesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge-bases",
  validateSearch: (raw): { page?: number | undefined } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./knowledge-bases-page.tsx"), "KnowledgeBasesPage"),
});

const baseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge-bases/$baseId",
  component: lazyRouteComponent(async () => await import("./knowledge-base-page.tsx"), "KnowledgeBasePage"),
});

const documentsRoute = createRoute({
  getParentRoute: () => baseRoute,
  path: "/",
  validateSearch: (raw): DocumentsSearch => ({
    page: readPage(raw),
    status: readChoice(raw, "status", documentStatuses),
  }),
  component: lazyRouteComponent(async () => await import("./documents/documents-tab.tsx"), "DocumentsTab"),
});

const searchRoute = createRoute({
  getParentRoute: () => baseRoute,
  path: "/search",
  component: lazyRouteComponent(async () => await import("./search/search-tab.tsx"), "SearchTab"),
});

const documentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge-bases/$baseId/documents/$documentId",
  validateSearch: (raw): { page?: number | undefined } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./documents/document-page.tsx"), "DocumentPage"),
});

export const knowledgeBaseRoutes = [
  basesRoute,
  baseRoute.addChildren([documentsRoute, searchRoute]),
  documentRoute,
] as const;
