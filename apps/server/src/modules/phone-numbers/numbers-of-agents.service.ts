/** Apart from the other use cases of numbers, which need agents, because agents need this one. */
import type { Agent } from "@parley/contract";
import type { Queries } from "../../platform/database/database.ts";
import { listNumbersOfAgents } from "./phone-numbers.store.ts";

export type AgentPhoneNumber = Agent["phoneNumbers"][number];

/** The numbers of each agent, first bound first. */
export async function findNumbersOfAgents(
  queries: Queries,
  agentIds: readonly string[],
): Promise<Map<string, AgentPhoneNumber[]>> {
  const byAgent = new Map<string, AgentPhoneNumber[]>();
  for (const row of await listNumbersOfAgents(queries, agentIds)) {
    if (row.agentId === null) continue;
    const numbers = byAgent.get(row.agentId) ?? [];
    const { id, e164, createdAt, updatedAt } = row;
    numbers.push({ id, e164, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() });
    byAgent.set(row.agentId, numbers);
  }
  return byAgent;
}
