import { type AgentChange, type AgentConfiguration, agentDefaults } from "@parley/contract";

/** The versioned part of an agent as it is stored: every field present, whatever release wrote it. */
export interface AgentDocument extends AgentConfiguration {
  schemaVersion: typeof SCHEMA_VERSION;
  name: string;
}

const SCHEMA_VERSION = 1;

const defaults = structuredClone(agentDefaults) as unknown as AgentConfiguration;

export function createDocument(name: string, change: AgentChange): AgentDocument {
  return changeDocument({ schemaVersion: SCHEMA_VERSION, name, ...structuredClone(defaults) }, change);
}

/** What is absent stays, null becomes the default; read-only and unversioned fields of the change are passed over. */
export function changeDocument(
  document: AgentDocument,
  change: AgentChange & { name?: string },
): AgentDocument {
  const changed: Record<string, unknown> = { ...document };
  if (change.name !== undefined) changed["name"] = change.name;
  for (const field of Object.keys(defaults) as (keyof AgentConfiguration)[]) {
    if (change[field] !== undefined) changed[field] = change[field] ?? structuredClone(defaults[field]);
  }
  return changed as unknown as AgentDocument;
}

/** Fields that this release knows and the one that wrote the document did not, get their defaults. */
export function readDocument(stored: AgentDocument): AgentDocument {
  return { ...structuredClone(defaults), ...stored };
}
