import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readText } from "../../ui/search-params.ts";
import { periodNames, type PeriodName } from "./overview.rules.ts";

interface OverviewSearch {
  period?: PeriodName | undefined;
  agentId?: string | undefined;
}

const overviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/overview",
  validateSearch: (raw): OverviewSearch => ({
    period: readChoice(raw, "period", periodNames),
    agentId: readText(raw, "agentId"),
  }),
  component: lazyRouteComponent(async () => await import("./overview-page.tsx"), "OverviewPage"),
});

export const overviewRoutes = [overviewRoute] as const;
