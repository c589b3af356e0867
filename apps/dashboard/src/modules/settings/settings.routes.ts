import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { createElement } from "react";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: () => createElement(Navigate, { to: "/settings/members", replace: true }),
});

const membersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/members",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./members-page.tsx"), "MembersPage"),
});

const apiKeysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/api-keys",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./api-keys-page.tsx"), "ApiKeysPage"),
});

const auditLogRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/audit-log",
  validateSearch: (raw): { page?: number; action?: string } => ({
    page: readPage(raw),
    action: readText(raw, "action"),
  }),
  component: lazyRouteComponent(async () => await import("./audit-log-page.tsx"), "AuditLogPage"),
});

export const settingsRoutes = [settingsRoute, membersRoute, apiKeysRoute, auditLogRoute] as const;
