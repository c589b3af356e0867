import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice } from "../../ui/search-params.ts";
import { readCallsSearch } from "./calls.search.ts";

export const callTabs = ["conversation", "latency", "results", "webhooks", "signaling"] as const;

interface CallSearch {
  tab?: (typeof callTabs)[number] | undefined;
}

const callsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/calls",
  validateSearch: readCallsSearch,
  component: lazyRouteComponent(async () => await import("./calls-page.tsx"), "CallsPage"),
});

const callRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/calls/$callId",
  validateSearch: (raw): CallSearch => ({ tab: readChoice(raw, "tab", callTabs) }),
  component: lazyRouteComponent(async () => await import("./call-page.tsx"), "CallPage"),
});

export const callRoutes = [callsRoute, callRoute] as const;
