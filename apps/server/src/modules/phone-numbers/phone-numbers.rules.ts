import { PRODUCTION } from "@parley/contract";
import type { AgentDocument, BoundNumber } from "../agents/agent-document.rules.ts";

/** Stores `production` as `null`. */
export function normalizeEnvironment(name: string | null): string | null {
  return name === PRODUCTION ? null : name;
}

/** Adds the number to the agent's document, or replaces its earlier entry. */
export function bindNumber(document: AgentDocument, number: BoundNumber): AgentDocument {
  const isBound = document.phoneNumbers.some(({ id }) => id === number.id);
  const phoneNumbers = isBound
    ? document.phoneNumbers.map((each) => (each.id === number.id ? number : each))
    : [...document.phoneNumbers, number];
  return { ...document, phoneNumbers };
}

export function unbindNumber(document: AgentDocument, id: string): AgentDocument {
  return { ...document, phoneNumbers: document.phoneNumbers.filter((each) => each.id !== id) };
}

/** Removes a deleted trunk and its numbers from the agent's document. */
export function withoutTrunk(
  document: AgentDocument,
  sipTrunkId: string,
  numberIds: readonly string[],
): AgentDocument {
  return {
    ...document,
    sipTrunkId: document.sipTrunkId === sipTrunkId ? null : document.sipTrunkId,
    phoneNumbers: document.phoneNumbers.filter(({ id }) => !numberIds.includes(id)),
  };
}
