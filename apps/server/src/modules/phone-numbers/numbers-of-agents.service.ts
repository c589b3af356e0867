/** Apart from the other use cases of numbers, which need agents, because agents need these. */
import type { Queries } from "../../platform/database/database.ts";
import * as store from "./phone-numbers.store.ts";

/** Agents that numbers of the trunk are bound to. */
export async function listAgentsOfTrunk(queries: Queries, sipTrunkId: string): Promise<string[]> {
  return await store.listAgentsOfTrunk(queries, sipTrunkId);
}

/** Returns the ids of those that there were. */
export async function deleteNumbersOfTrunk(queries: Queries, sipTrunkId: string): Promise<string[]> {
  return await store.deleteNumbersOfTrunk(queries, sipTrunkId);
}

/** Leaves the numbers in the organization. */
export async function unbindNumbersOfAgent(queries: Queries, agentId: string): Promise<void> {
  await store.unbindNumbersOfAgent(queries, agentId, new Date());
}
