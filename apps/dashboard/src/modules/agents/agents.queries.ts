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

/** Fields of an agent that refer to another thing of the organization. */
export type ReferenceName = "sipTrunkId" | "folderId" | "messagingConnectionId";

interface Choice {
  value: string;
  label: string;
}

const pageSize = 100;

const choiceLists: Readonly<
  Record<ReferenceName, { feature: string; list: (parley: Parley, signal: AbortSignal) => Promise<Choice[]> }>
> = {
  sipTrunkId: {
    feature: "sip-trunks",
    list: async (parley, signal) => (await parley.listSipTrunks({ pageSize }, { signal })).data.map(toChoice),
  },
  folderId: {
    feature: "folders",
    list: async (parley, signal) =>
      (await parley.listFolders({ pageSize }, { signal })).data.map(({ id, name }) => ({
        value: id,
        label: name,
      })),
  },
  messagingConnectionId: {
    feature: "messaging-connections",
    list: async (parley, signal) =>
      (await parley.listMessagingConnections({ pageSize }, { signal })).data.map(toChoice),
  },
};

function toChoice({ id, friendlyName }: { id: string; friendlyName: string }): Choice {
  return { value: id, label: friendlyName };
}

/** What a field may refer to, by name. */
export function choicesQuery(parley: Parley, name: ReferenceName) {
  const { feature, list } = choiceLists[name];
  return queryOptions({
    queryKey: [feature, "names"],
    queryFn: async ({ signal }) => await list(parley, signal),
  });
}

/** Knowledge bases by name. */
export function knowledgeBaseNamesQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["knowledge-bases", "names"],
    queryFn: async ({ signal }) =>
      (await parley.listKnowledgeBases({ pageSize }, { signal })).data.map(({ id, name }): Choice => ({
        value: id,
        label: name,
      })),
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
