import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

export function connectionsQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["messaging-connections", "list", page],
    queryFn: async ({ signal }) => await parley.listMessagingConnections({ page }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function connectionQuery(parley: Parley, connectionId: string) {
  return queryOptions({
    queryKey: ["messaging-connections", connectionId],
    queryFn: async ({ signal }) => await parley.getMessagingConnection(connectionId, { signal }),
  });
}
