import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage } from "../../ui/search-params.ts";

const connectionsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/messaging-connections",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./connections-page.tsx"), "ConnectionsPage"),
});

const newConnectionRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/messaging-connections/new",
  component: lazyRouteComponent(async () => await import("./new-connection-page.tsx"), "NewConnectionPage"),
});

const connectionRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/messaging-connections/$connectionId",
  component: lazyRouteComponent(async () => await import("./connection-page.tsx"), "ConnectionPage"),
});

export const messagingConnectionRoutes = [connectionsRoute, newConnectionRoute, connectionRoute] as const;
