import { type Parley, paginate, type Voice } from "@parley/client";
import { queryOptions } from "@tanstack/react-query";
import type { ListPage } from "../../ui/pages.tsx";
import type { VoicesSearch } from "./voices.routes.ts";

const PAGE_SIZE = 25;
/** Until a provider has cloned a voice. */
const PROCESSING_REFRESH_MS = 2_000;

/** One page of the voices that match. The API returns all voices at once. */
export function voicesPageQuery(parley: Parley, { page = 1, source, ...filter }: VoicesSearch) {
  return queryOptions({
    queryKey: ["voices", "library", filter],
    queryFn: async ({ signal }) => await parley.listVoices(filter, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "processing") === true && PROCESSING_REFRESH_MS,
    select: (voices): ListPage<Voice> => {
      const shown = voices.filter((voice) => source === undefined || voice.source === source);
      const start = (page - 1) * PAGE_SIZE;
      return { data: shown.slice(start, start + PAGE_SIZE), page, pageSize: PAGE_SIZE, total: shown.length };
    },
  });
}

export interface VoiceUser {
  id: string;
  name: string;
}

/** Agents by the ids of their voices, fallback voices included. */
export function voiceUsersQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["agents", "by-voice"],
    queryFn: async ({ signal }) => {
      const users = new Map<string, VoiceUser[]>();
      for await (const agent of paginate((page) => parley.listAgents(page, { signal })))
        for (const voiceId of new Set([agent.voiceId, agent.fallbackVoiceId]))
          if (voiceId !== null)
            users.set(voiceId, [...(users.get(voiceId) ?? []), { id: agent.id, name: agent.name }]);
      return users;
    },
  });
}
