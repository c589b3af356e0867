import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { createElement } from "react";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";
import { readDeliveriesSearch } from "../webhooks/webhooks.search.ts";

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: () => createElement(Navigate, { to: "/settings/organization", replace: true }),
});

const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/organization",
  component: lazyRouteComponent(
    async () => await import("./organization-page.tsx"),
    "OrganizationSettingsPage",
  ),
});

const webhooksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/webhooks",
  validateSearch: readDeliveriesSearch,
  component: lazyRouteComponent(async () => await import("../webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const doNotCallRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/do-not-call",
  validateSearch: (raw): { page?: number; phoneNumber?: string } => ({
    page: readPage(raw),
    phoneNumber: readText(raw, "phoneNumber"),
  }),
  component: lazyRouteComponent(
    async () => await import("../do-not-call/do-not-call-page.tsx"),
    "DoNotCallPage",
  ),
});

const appearanceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/appearance",
  component: lazyRouteComponent(async () => await import("./appearance-page.tsx"), "AppearancePage"),
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

const providersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/providers",
  component: lazyRouteComponent(async () => await import("./providers-page.tsx"), "ProvidersPage"),
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

export const settingsRoutes = [
  settingsRoute,
  organizationRoute,
  membersRoute,
  apiKeysRoute,
  providersRoute,
  webhooksRoute,
  doNotCallRoute,
  auditLogRoute,
  appearanceRoute,
] as const;
