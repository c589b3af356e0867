import { PRODUCTION } from "@parley/contract";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import type { AgentDocument, BoundNumber } from "../agents/agent-document.rules.ts";

/** The number in E.164; undefined where it has no country code or cannot be a number (assigned or not). */
export function normalizePhoneNumber(text: string): string | undefined {
  if (!text.startsWith("+")) return undefined;
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : undefined;
}

/** `production` needs no name: null stands for it. */
export function normalizeEnvironment(name: string | null): string | null {
  return name === PRODUCTION ? null : name;
}

/** The agent's document with the number, which it may have already, as it is now. */
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

/** The agent's document after the deletion of a trunk and of the numbers on it. */
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
