import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

type AgentFilter = NonNullable<Parameters<Parley["listAgents"]>[0]>;

/** Keys begin with the feature's name, so that a change invalidates all of them: `["agents"]`. */
export function agentsQuery(parley: Parley, filter: AgentFilter) {
  return queryOptions({
    queryKey: ["agents", "list", filter],
    queryFn: async ({ signal }) => await parley.listAgents(filter, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function agentQuery(parley: Parley, agentId: string) {
  return queryOptions({
    queryKey: ["agents", agentId],
    queryFn: async ({ signal }) => await parley.getAgent(agentId, { signal }),
  });
}

/** Names of the trunks, for choices. */
export function trunkNamesQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["sip-trunks", "names"],
    queryFn: async ({ signal }) => (await parley.listSipTrunks({ pageSize: 100 }, { signal })).data,
  });
}

export function foldersQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["folders"],
    queryFn: async ({ signal }) => (await parley.listFolders({ pageSize: 100 }, { signal })).data,
  });
}

export function toolsQuery(parley: Parley, agentId: string) {
  return queryOptions({
    queryKey: ["agents", agentId, "tools"],
    queryFn: async ({ signal }) => await parley.listCustomTools(agentId, { signal }),
  });
}

export function environmentsQuery(parley: Parley, agentId: string) {
  return queryOptions({
    queryKey: ["agents", agentId, "environments"],
    queryFn: async ({ signal }) => await parley.listEnvironments(agentId, { signal }),
  });
}

/** The voices that speak a language. */
export function voicesQuery(parley: Parley, language: string) {
  const [base = ""] = language.split("-");
  return queryOptions({
    queryKey: ["voices", base],
    queryFn: async ({ signal }) =>
      await parley.listVoices(language === "" ? {} : { language: base }, { signal }),
  });
}

export function modelsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["models"],
    queryFn: async ({ signal }) => await parley.listModels({ signal }),
  });
}

export function languagesQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["languages"],
    queryFn: async ({ signal }) => await parley.listLanguages({ signal }),
  });
}
