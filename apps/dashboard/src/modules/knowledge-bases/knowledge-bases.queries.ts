import { paginate, type Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { isUnderWay } from "./document-words.ts";
import type { DocumentsSearch } from "./knowledge-bases.routes.ts";

/** Until the documents that are shown are ready. */
const PROGRESS_INTERVAL_MS = 1_000;

export function knowledgeBasesQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["knowledge-bases", "list", page],
    queryFn: async ({ signal }) => await parley.listKnowledgeBases({ page }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function knowledgeBaseQuery(parley: Parley, baseId: string) {
  return queryOptions({
    queryKey: ["knowledge-bases", baseId],
    queryFn: async ({ signal }) => await parley.getKnowledgeBase(baseId, { signal }),
  });
}

/** Documents, the newest first, asked for again while one of them is being read. */
export function documentsQuery(parley: Parley, baseId: string, filter: DocumentsSearch) {
  return queryOptions({
    queryKey: ["knowledge-bases", baseId, "documents", "list", filter],
    queryFn: async ({ signal }) => await parley.listKnowledgeDocuments(baseId, filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data?.data.some(isUnderWay) === true && PROGRESS_INTERVAL_MS,
  });
}

export function documentQuery(parley: Parley, baseId: string, documentId: string) {
  return queryOptions({
    queryKey: ["knowledge-bases", baseId, "documents", documentId],
    queryFn: async ({ signal }) => await parley.getKnowledgeDocument(baseId, documentId, { signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isUnderWay(data) && PROGRESS_INTERVAL_MS,
  });
}

/** @param version Changes when the document has other passages. */
export function passagesQuery(
  parley: Parley,
  {
    baseId,
    documentId,
    page,
    version,
  }: { baseId: string; documentId: string; page: number; version: string },
) {
  return queryOptions({
    queryKey: ["knowledge-bases", baseId, "documents", documentId, "passages", page, version],
    queryFn: async ({ signal }) =>
      await parley.listKnowledgeDocumentPassages(baseId, documentId, { page }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export interface BaseUser {
  id: string;
  name: string;
}

/** Agents by the ids of their knowledge bases. */
export function baseUsersQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["agents", "by-knowledge-base"],
    queryFn: async ({ signal }) => {
      const users = new Map<string, BaseUser[]>();
      for await (const { id, name, knowledgeBaseIds } of paginate((page) =>
        parley.listAgents(page, { signal }),
      ))
        for (const baseId of knowledgeBaseIds)
          users.set(baseId, [...(users.get(baseId) ?? []), { id, name }]);
      return users;
    },
  });
}
