import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

/** Health changes about twice a minute. */
const HEALTH_INTERVAL_MS = 5_000;
/** Shown on a trunk's page; the list of all numbers has the others. */
const MAX_SHOWN = 50;

export function trunksQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["sip-trunks", "list", page],
    queryFn: async ({ signal }) => await parley.listSipTrunks({ page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: HEALTH_INTERVAL_MS,
  });
}

export function trunkQuery(parley: Parley, trunkId: string) {
  return queryOptions({
    queryKey: ["sip-trunks", trunkId],
    queryFn: async ({ signal }) => await parley.getSipTrunk(trunkId, { signal }),
    refetchInterval: HEALTH_INTERVAL_MS,
  });
}

export function trunkNumbersQuery(parley: Parley, sipTrunkId: string) {
  return queryOptions({
    queryKey: ["phone-numbers", "of-trunk", sipTrunkId],
    queryFn: async ({ signal }) =>
      await parley.listPhoneNumbers({ sipTrunkId, pageSize: MAX_SHOWN }, { signal }),
  });
}

export function trunkAgentsQuery(parley: Parley, sipTrunkId: string) {
  return queryOptions({
    queryKey: ["agents", "of-trunk", sipTrunkId],
    queryFn: async ({ signal }) => await parley.listAgents({ sipTrunkId, pageSize: MAX_SHOWN }, { signal }),
  });
}
