import {
  type AgentChange,
  type AgentConfiguration,
  agentDefaults,
  type CustomTool,
  keysOf,
} from "@parley/contract";

/** The versioned part of an agent as it is stored: every field present, whatever release wrote it. */
export interface AgentDocument extends AgentConfiguration {
  schemaVersion: typeof SCHEMA_VERSION;
  name: string;
  customTools: CustomTool[];
}

/** As it comes from the database. */
export type StoredDocument = Pick<AgentDocument, "schemaVersion" | "name"> &
  Partial<AgentConfiguration & Pick<AgentDocument, "customTools">>;

const SCHEMA_VERSION = 1;

export function createDocument(name: string, change: AgentChange): AgentDocument {
  return changeDocument(
    { schemaVersion: SCHEMA_VERSION, name, ...structuredClone(agentDefaults), customTools: [] },
    change,
  );
}

/** What is absent stays, null becomes the default; read-only and unversioned fields of the change are passed over. */
export function changeDocument(
  document: AgentDocument,
  change: AgentChange & { name?: string },
): AgentDocument {
  const changed = { ...document, name: change.name ?? document.name };
  for (const field of keysOf(agentDefaults)) changeField(changed, change, field);
  return changed;
}

function changeField<Field extends keyof AgentConfiguration>(
  document: AgentConfiguration,
  change: { [K in Field]?: AgentConfiguration[K] | null },
  field: Field,
): void {
  const value = change[field];
  if (value !== undefined) document[field] = value ?? structuredClone(agentDefaults[field]);
}

/** What an older release wrote may lack fields: they get their defaults. */
export function readDocument(stored: StoredDocument): AgentDocument {
  return { ...structuredClone(agentDefaults), customTools: [], ...stored };
}
