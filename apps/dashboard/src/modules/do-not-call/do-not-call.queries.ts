import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

export function doNotCallQuery(parley: Parley, filter: { page: number; phoneNumber?: string }) {
  return queryOptions({
    queryKey: ["do-not-call", "list", filter],
    queryFn: async ({ signal }) => await parley.listDoNotCall(filter, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function doNotCallSettingsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["do-not-call", "settings"],
    queryFn: async ({ signal }) => await parley.getDoNotCallSettings({ signal }),
  });
}
