import { createRoute, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { createElement } from "react";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";

const operatorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/operator",
  component: lazyRouteComponent(async () => await import("./operator-section.tsx"), "OperatorSection"),
});

const firstRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/",
  component: () => createElement(Navigate, { to: "/operator/organizations", replace: true }),
});

const organizationsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/organizations",
  validateSearch: (raw): { page?: number; search?: string } => ({
    page: readPage(raw),
    search: readText(raw, "search"),
  }),
  component: lazyRouteComponent(async () => await import("./organizations-page.tsx"), "OrganizationsPage"),
});

const organizationRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/organizations/$organizationId",
  component: lazyRouteComponent(async () => await import("./organization-page.tsx"), "OrganizationPage"),
});

const numbersRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/phone-numbers",
  validateSearch: (raw): { page?: number; e164?: string; organizationId?: string } => ({
    page: readPage(raw),
    e164: readText(raw, "e164"),
    organizationId: readText(raw, "organizationId"),
  }),
  component: lazyRouteComponent(
    async () => await import("./operated-numbers-page.tsx"),
    "OperatedNumbersPage",
  ),
});

const nodesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/nodes",
  component: lazyRouteComponent(async () => await import("./nodes-page.tsx"), "NodesPage"),
});

const checksRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/checks",
  component: lazyRouteComponent(async () => await import("./checks-page.tsx"), "ChecksPage"),
});

const auditLogRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: "/audit-log",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./operator-log-page.tsx"), "OperatorLogPage"),
});

export const operatorRoutes = [
  operatorRoute.addChildren([
    firstRoute,
    organizationsRoute,
    organizationRoute,
    numbersRoute,
    nodesRoute,
    checksRoute,
    auditLogRoute,
  ]),
] as const;
