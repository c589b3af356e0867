import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type PeriodName, rangeOf } from "./overview.rules.ts";

const ACTIVE_INTERVAL_MS = 2_000;
const STATISTICS_INTERVAL_MS = 60_000;

export function activeCountQuery(parley: Parley, agentId: string | undefined) {
  return queryOptions({
    queryKey: ["overview", "active", agentId],
    queryFn: async ({ signal }) =>
      await parley.countActiveCalls({ ...(agentId !== undefined && { agentId }) }, { signal }),
    refetchInterval: ACTIVE_INTERVAL_MS,
  });
}

/** All statistics of a period, in the time zone where the reader lives. */
export function statisticsQuery(parley: Parley, period: PeriodName, agentId: string | undefined) {
  return queryOptions({
    queryKey: ["overview", "statistics", period, agentId],
    queryFn: async ({ signal }) => {
      const query = { ...rangeOf(period, new Date()), ...(agentId !== undefined && { agentId }) };
      const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
      const [perDay, durations, endReasons, latency] = await Promise.all([
        parley.countCallsPerDay({ ...query, timezone }, { signal }),
        parley.measureCallDurations(query, { signal }),
        parley.countCallEndReasons(query, { signal }),
        parley.measureTurnLatency(query, { signal }),
      ]);
      return { days: perDay.days, durations, endReasons, latency };
    },
    placeholderData: keepPreviousData,
    refetchInterval: STATISTICS_INTERVAL_MS,
  });
}
