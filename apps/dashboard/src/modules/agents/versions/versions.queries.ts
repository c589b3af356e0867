import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

const PAGE_SIZE = 20;
/** Milliseconds. What is compared, published or restored is read anew: others write versions too. */
const OTHERS_WRITE = 0;

export function versionsQuery(parley: Parley, agentId: string, page: number) {
  return queryOptions({
    queryKey: ["agents", agentId, "versions", { page }],
    queryFn: async ({ signal }) =>
      await parley.listAgentVersions(agentId, { page, pageSize: PAGE_SIZE }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: OTHERS_WRITE,
  });
}

export function versionQuery(parley: Parley, agentId: string, revision: number) {
  return queryOptions({
    queryKey: ["agents", agentId, "versions", revision],
    queryFn: async ({ signal }) => await parley.getAgentVersion(agentId, String(revision), { signal }),
  });
}

/** Revision of the latest version, which is the draft. */
export function draftRevisionQuery(parley: Parley, agentId: string) {
  return queryOptions({
    queryKey: ["agents", agentId, "versions", "draft"],
    queryFn: async ({ signal }) => {
      const { data } = await parley.listAgentVersions(agentId, { pageSize: 1 }, { signal });
      return data[0]?.revision ?? null;
    },
    staleTime: OTHERS_WRITE,
  });
}
