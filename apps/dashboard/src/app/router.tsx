import { createRoute, createRouter, Navigate } from "@tanstack/react-router";
import { agentRoutes } from "../modules/agents/agents.routes.ts";
import { accountRoutes, openIdentityRoutes } from "../modules/identity/identity.routes.ts";
import { settingsRoutes } from "../modules/settings/settings.routes.ts";
import { callRoutes } from "../modules/calls/calls.routes.ts";
import { campaignRoutes } from "../modules/campaigns/campaigns.routes.ts";
import { customerRoutes } from "../modules/customers/customers.routes.ts";
import { knowledgeBaseRoutes } from "../modules/knowledge-bases/knowledge-bases.routes.ts";
import { messageRoutes } from "../modules/messages/messages.routes.ts";
import { messagingConnectionRoutes } from "../modules/messaging-connections/messaging-connections.routes.ts";
import { numberRoutes } from "../modules/phone-numbers/phone-numbers.routes.ts";
import { operatorRoutes } from "../modules/operator/operator.routes.ts";
import { trunkRoutes } from "../modules/sip-trunks/sip-trunks.routes.ts";
import { referenceRoute } from "../modules/reference/reference.routes.ts";
import { overviewRoutes } from "../modules/overview/overview.routes.ts";
import { testSuiteRoutes } from "../modules/test-suites/test-suites.routes.ts";
import { voiceRoutes } from "../modules/voices/voices.routes.ts";
import { tryRoute } from "../modules/try/try.routes.ts";
import { ErrorPage } from "./error-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { rootRoute, shellRoute, signedInRoute } from "./routes.tsx";
import { LoadingPage } from "../ui/loading.tsx";

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: () => <Navigate to="/overview" replace />,
});

/** All pages: each feature adds its routes here. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  shellRoute.addChildren([
    tryRoute,
    referenceRoute,
    ...openIdentityRoutes,
    signedInRoute.addChildren([
      ...overviewRoutes,
      ...agentRoutes,
      ...voiceRoutes,
      ...knowledgeBaseRoutes,
      ...testSuiteRoutes,
      ...callRoutes,
      ...campaignRoutes,
      ...numberRoutes,
      ...trunkRoutes,
      ...messageRoutes,
      ...customerRoutes,
      ...messagingConnectionRoutes,
      ...accountRoutes,
      ...settingsRoutes,
      ...operatorRoutes,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  defaultPendingComponent: LoadingPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
