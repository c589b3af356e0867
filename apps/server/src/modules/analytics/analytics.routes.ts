import {
  countActiveCallsRoute,
  countCallsPerDayRoute,
  countEndReasonsRoute,
  measureCallDurationsRoute,
  measureLatencyRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallStatistics } from "../calls/call-statistics.service.ts";
import { assertTimezone, selectCalls } from "./analytics.rules.ts";

export function bindAnalyticsRoutes(app: FastifyInstance, statistics: CallStatistics, clock: Clock): void {
  bindRoute(app, countActiveCallsRoute, async ({ principal, query: { agentId, direction, channel } }) => {
    const properties = { agentId, direction, channel };
    return { data: { activeCalls: await statistics.countActive(principal.organizationId, properties) } };
  });
  bindRoute(app, countCallsPerDayRoute, async ({ principal, query: { timezone, ...query } }) => {
    assertTimezone(timezone);
    const selection = selectCalls(query, clock.now());
    return {
      data: { timezone, days: await statistics.tallyDays(principal.organizationId, selection, timezone) },
    };
  });
  bindRoute(app, measureCallDurationsRoute, async ({ principal, query }) => ({
    data: await statistics.measureDurations(principal.organizationId, selectCalls(query, clock.now())),
  }));
  bindRoute(app, countEndReasonsRoute, async ({ principal, query }) => ({
    data: await statistics.tallyEndReasons(principal.organizationId, selectCalls(query, clock.now())),
  }));
  bindRoute(app, measureLatencyRoute, async ({ principal, query }) => ({
    data: await statistics.measureLatency(principal.organizationId, selectCalls(query, clock.now())),
  }));
}
