import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage } from "../../ui/search-params.ts";

const trunksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/sip-trunks",
  validateSearch: (raw): { page?: number } => ({ page: readPage(raw) }),
  component: lazyRouteComponent(async () => await import("./trunks-page.tsx"), "TrunksPage"),
});

const newTrunkRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/sip-trunks/new",
  component: lazyRouteComponent(async () => await import("./new-trunk-page.tsx"), "NewTrunkPage"),
});

const trunkRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/sip-trunks/$trunkId",
  /** `check`: the page begins with a check, as after the trunk's creation. */
  validateSearch: (raw): { check?: true } => (raw["check"] === true ? { check: true } : {}),
  component: lazyRouteComponent(async () => await import("./trunk-page.tsx"), "TrunkPage"),
});

export const trunkRoutes = [trunksRoute, newTrunkRoute, trunkRoute] as const;
