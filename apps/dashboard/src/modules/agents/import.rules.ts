import { readJsonObject } from "../../ui/json-text.rules.ts";

/** Fields that name things of the organization, which another installation does not have. */
export const references = { sipTrunkId: "SIP trunk", folderId: "Folder" } as const;

export type Reference = keyof typeof references;

/** Reads the file of an exported agent, or says what is wrong with it. */
export function readExport(text: string): { agent: Record<string, unknown> } | { fault: string } {
  const read = readJsonObject(text);
  if ("fault" in read) return { fault: `The file ${read.fault}` };
  if (typeof read.value["name"] !== "string")
    return { fault: "The file is no exported agent: it has no name." };
  return { agent: read.value };
}

/** The agent without the references that mean nothing here. */
export function withoutReferences(
  agent: Readonly<Record<string, unknown>>,
  missing: readonly Reference[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(agent).filter(([name]) => !missing.some((each) => each === name)));
}
