import type { CallStatistics } from "../calls/call-statistics.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { bindAnalyticsRoutes } from "./analytics.routes.ts";

export function createAnalytics(
  { clock }: NodeResources,
  { callStatistics }: { callStatistics: CallStatistics },
) {
  return {
    services: {},
    bindRoutes: (app) => bindAnalyticsRoutes(app, callStatistics, clock),
  } satisfies Feature;
}
