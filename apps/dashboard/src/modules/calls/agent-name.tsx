import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useParley } from "../../app/session/session.tsx";
import { agentNamesQuery } from "./calls.queries.ts";

/** Returns the name of an agent, or the beginning of its id. */
export function useAgentName(): (agentId: string) => string {
  const { data } = useQuery(agentNamesQuery(useParley()));
  return useCallback(
    (agentId) => data?.get(agentId) ?? (data === undefined ? "…" : `Agent ${agentId.slice(0, 8)}`),
    [data],
  );
}
