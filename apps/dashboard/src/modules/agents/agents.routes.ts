import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readPage, readText } from "../../ui/search-params.ts";

export const agentStatuses = ["active", "disabled"] as const;

/** What the address of the list contains. */
interface AgentsSearch {
  page?: number;
  search?: string;
  status?: (typeof agentStatuses)[number];
  folderId?: string;
}

const agentsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/agents",
  validateSearch: (raw): AgentsSearch => ({
    page: readPage(raw),
    search: readText(raw, "search"),
    status: readChoice(raw, "status", agentStatuses),
    folderId: readText(raw, "folderId"),
  }),
  component: lazyRouteComponent(async () => await import("./agents-page.tsx"), "AgentsPage"),
});

const newAgentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/agents/new",
  component: lazyRouteComponent(async () => await import("./new-agent-page.tsx"), "NewAgentPage"),
});

/** One agent: its name, actions and tabs. Each tab is a child route and a line in agent-page.tsx. */
const agentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/agents/$agentId",
  /** `rerun`: a call whose environment and variables are tested again. */
  validateSearch: (raw): { rerun?: string | undefined } => ({ rerun: readText(raw, "rerun") }),
  component: lazyRouteComponent(async () => await import("./agent-page.tsx"), "AgentPage"),
});

const editorRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: "/",
  validateSearch: (raw): { group?: string } => ({ group: readText(raw, "group") }),
  component: lazyRouteComponent(async () => await import("./editor/editor-tab.tsx"), "EditorTab"),
});

const toolsRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: "/tools",
  component: lazyRouteComponent(async () => await import("./tools/tools-tab.tsx"), "ToolsTab"),
});

const environmentsRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: "/environments",
  component: lazyRouteComponent(
    async () => await import("./environments/environments-tab.tsx"),
    "EnvironmentsTab",
  ),
});

const versionsRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: "/versions",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./versions/versions-tab.tsx"), "VersionsTab"),
});

const versionViews = ["restore", "publish"] as const;
/** What a version is compared with: the draft or the live revision. Default: the version before it. */
export type VersionView = (typeof versionViews)[number];

const versionRoute = createRoute({
  getParentRoute: () => agentRoute,
  path: "/versions/$revision",
  validateSearch: (raw): { view?: VersionView } => ({ view: readChoice(raw, "view", versionViews) }),
  component: lazyRouteComponent(async () => await import("./versions/version-page.tsx"), "VersionPage"),
});

export const agentRoutes = [
  agentsRoute,
  newAgentRoute,
  agentRoute.addChildren([editorRoute, toolsRoute, environmentsRoute, versionsRoute, versionRoute]),
] as const;
