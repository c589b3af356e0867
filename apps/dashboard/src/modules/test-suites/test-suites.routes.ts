import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";

const suitesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites",
  validateSearch: (raw): { page?: number | undefined } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./suites-page.tsx"), "SuitesPage"),
});

const newSuiteRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/new",
  validateSearch: (
    raw,
  ): { agentId?: string | undefined; callId?: string | undefined; conversationId?: string | undefined } => ({
    agentId: readText(raw, "agentId"),
    callId: readText(raw, "callId"),
    conversationId: readText(raw, "conversationId"),
  }),
  component: lazyRouteComponent(async () => await import("./new-suite-page.tsx"), "NewSuitePage"),
});

const suiteRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/$suiteId",
  component: lazyRouteComponent(async () => await import("./suite-page.tsx"), "SuitePage"),
});

const casesRoute = createRoute({
  getParentRoute: () => suiteRoute,
  path: "/",
  component: lazyRouteComponent(async () => await import("./cases/cases-tab.tsx"), "CasesTab"),
});

const suiteRunsRoute = createRoute({
  getParentRoute: () => suiteRoute,
  path: "/runs",
  validateSearch: (raw): { page?: number | undefined } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./runs/runs-tab.tsx"), "RunsTab"),
});

const suiteSettingsRoute = createRoute({
  getParentRoute: () => suiteRoute,
  path: "/settings",
  component: lazyRouteComponent(async () => await import("./suite-settings-tab.tsx"), "SuiteSettingsTab"),
});

const newCaseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/$suiteId/new-case",
  component: lazyRouteComponent(async () => await import("./cases/new-case-page.tsx"), "NewCasePage"),
});

const caseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/$suiteId/tests/$testId",
  component: lazyRouteComponent(async () => await import("./cases/case-page.tsx"), "CasePage"),
});

const runRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/$suiteId/runs/$runId",
  component: lazyRouteComponent(async () => await import("./runs/run-page.tsx"), "RunPage"),
});

const comparisonRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/test-suites/$suiteId/compare",
  validateSearch: (raw): { before?: string | undefined; after?: string | undefined } => ({
    before: readText(raw, "before"),
    after: readText(raw, "after"),
  }),
  component: lazyRouteComponent(async () => await import("./runs/comparison-page.tsx"), "ComparisonPage"),
});

export const testSuiteRoutes = [
  suitesRoute,
  newSuiteRoute,
  suiteRoute.addChildren([casesRoute, suiteRunsRoute, suiteSettingsRoute]),
  newCaseRoute,
  caseRoute,
  runRoute,
  comparisonRoute,
] as const;
