import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { activeStatuses, isActive } from "./call-words.ts";

const LIVE_INTERVAL_MS = 1_000;
/** For calls whose transcript has grown long. */
const LONG_INTERVAL_MS = 3_000;
const LONG_TRANSCRIPT_ITEMS = 200;
const LIST_INTERVAL_MS = 10_000;
/** Results of a call that are still being made. */
const PENDING_INTERVAL_MS = 2_000;
const MAX_ACTIVE_CALLS = 20;

type CallFilter = NonNullable<Parameters<Parley["listCalls"]>[0]>;

export function callsQuery(parley: Parley, filter: CallFilter) {
  return queryOptions({
    queryKey: ["calls", "list", filter],
    queryFn: async ({ signal }) => await parley.listCalls(filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIST_INTERVAL_MS,
  });
}

/** The newest of the calls that ring or are in progress. */
export function activeCallsQuery(parley: Parley) {
  const filter = { status: [...activeStatuses], pageSize: MAX_ACTIVE_CALLS };
  return queryOptions({
    queryKey: ["calls", "active"],
    queryFn: async ({ signal }) => await parley.listCalls(filter, { signal }),
    refetchInterval: PENDING_INTERVAL_MS,
  });
}

/** A call, asked for again while it is in progress or its results are pending: any node answers from the database. */
export function callQuery(parley: Parley, callId: string) {
  return queryOptions({
    queryKey: ["calls", callId],
    queryFn: async ({ signal }) => await parley.getCall(callId, { signal }),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      if (isActive(data))
        return data.transcript.length > LONG_TRANSCRIPT_ITEMS ? LONG_INTERVAL_MS : LIVE_INTERVAL_MS;
      const isPending = [data.recordingStatus, data.analysisStatus].includes("pending");
      return isPending ? PENDING_INTERVAL_MS : false;
    },
  });
}

export function traceQuery(parley: Parley, callId: string) {
  return queryOptions({
    queryKey: ["calls", callId, "trace"],
    queryFn: async ({ signal }) => await parley.getCallTrace(callId, { signal }),
  });
}

/** All events of a call: before, after, and their repetitions are few. */
export function deliveriesQuery(parley: Parley, callId: string) {
  return queryOptions({
    queryKey: ["calls", callId, "webhooks"],
    queryFn: async ({ signal }) => {
      const { data } = await parley.listWebhookDeliveries({ callId, pageSize: 100 }, { signal });
      return data;
    },
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === "pending") === true ? PENDING_INTERVAL_MS : false,
  });
}

/** Names of agents by their ids; agents that were deleted have none. */
export function agentNamesQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["agents", "names"],
    queryFn: async ({ signal }) => {
      const { data } = await parley.listAgents({ pageSize: 100 }, { signal });
      return new Map(data.map(({ id, name }) => [id, name]));
    },
    staleTime: 60_000,
  });
}
