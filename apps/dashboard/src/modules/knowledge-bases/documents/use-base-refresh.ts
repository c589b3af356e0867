import type { KnowledgeDocument } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { knowledgeBaseQuery } from "../knowledge-bases.queries.ts";
import { useParley } from "../../../app/session/session.tsx";

/** Loads the counts of the base again when another number of its documents is ready. */
export function useBaseRefresh(baseId: string, documents: readonly KnowledgeDocument[] | undefined): void {
  const parley = useParley();
  const queryClient = useQueryClient();
  const ready = documents?.filter(({ status }) => status === "ready").length;
  useEffect(() => {
    if (ready === undefined) return;
    const { queryKey } = knowledgeBaseQuery(parley, baseId);
    void queryClient.invalidateQueries({ queryKey, exact: true });
  }, [ready, baseId, parley, queryClient]);
}
