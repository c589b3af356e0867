import {
  type AgentChange,
  type AgentConfiguration,
  type AgentCreation,
  agentFields,
  type CustomTool,
  customToolFields,
  keysOf,
  mergeFields,
} from "@parley/contract";

/** A number as the agent's document names it; the number itself has its own table. */
export interface BoundNumber {
  id: string;
  e164: string;
  /** Null: production. */
  environment: string | null;
  createdAt: string;
  updatedAt: string;
}

/** All of an agent that has versions, every field present whatever release wrote it. */
export interface AgentDocument extends AgentConfiguration {
  schemaVersion: typeof SCHEMA_VERSION;
  phoneNumbers: BoundNumber[];
  customTools: CustomTool[];
}

/** Goes up with every field that the tables of the contract gain, lose or rename; a test sees to it. */
export const SCHEMA_VERSION = 3;

/** The spec, 3.1: live whatever version is published. */
const alwaysLive: ReadonlySet<keyof AgentDocument> = new Set(["status", "sipTrunkId", "phoneNumbers"]);

export function createDocument(creation: AgentCreation): AgentDocument {
  const fields = mergeFields(agentFields, undefined, creation);
  return normalize({ schemaVersion: SCHEMA_VERSION, ...fields, phoneNumbers: [], customTools: [] });
}

/** What is absent stays, null becomes the default; fields that are no configuration are passed over. */
export function changeDocument(document: AgentDocument, change: AgentChange): AgentDocument {
  return normalize({ ...document, ...mergeFields(agentFields, document, change) });
}

/** `production` needs no name: null stands for it. */
function normalize(document: AgentDocument): AgentDocument {
  if (document.widgetConfig.environment === "production") document.widgetConfig.environment = null;
  return document;
}

/** A document as some release wrote it. */
type AnyDocument = Readonly<Record<string, unknown>>;

/**
 * From each schema version to the next; the first lifts version 1. Pure, and equal documents stay equal. What a document
 * still lacks then gets its default, so a version that only adds fields has nothing to do here.
 */
const upgraders: readonly ((document: AnyDocument) => AnyDocument)[] = [
  // Version 1 kept status and trunk beside the document and had no tools and numbers.
  (document) => ({ phoneNumbers: [], customTools: [], ...document }),
  (document) => document,
];

/** Lifts what an older release wrote; what this one wrote is returned as it is. */
export function liftDocument(stored: AnyDocument & { schemaVersion: number }): AgentDocument {
  if (stored.schemaVersion === SCHEMA_VERSION) return stored as unknown as AgentDocument;
  const lifted = upgraders
    .slice(stored.schemaVersion - 1)
    .reduce((document, upgrade) => upgrade(document), stored as AnyDocument) as unknown as AgentDocument;
  return {
    schemaVersion: SCHEMA_VERSION,
    ...mergeFields(agentFields, lifted, {}),
    phoneNumbers: lifted.phoneNumbers,
    customTools: lifted.customTools.map((tool) => ({ ...tool, ...mergeFields(customToolFields, tool, {}) })),
  };
}

/** Names of the fields in which two documents differ. */
export function diffDocuments(before: AgentDocument, after: AgentDocument): (keyof AgentDocument)[] {
  return keysOf(after).filter((field) => {
    return before[field] !== after[field] && contentOf(field, before) !== contentOf(field, after);
  });
}

/** Apart from when it was last changed. */
export function isSameTool(one: CustomTool, other: CustomTool): boolean {
  return canonicalJson(untimed(one)) === canonicalJson(untimed(other));
}

function contentOf(field: keyof AgentDocument, document: AgentDocument): string {
  if (field !== "customTools" && field !== "phoneNumbers") return canonicalJson(document[field]);
  return canonicalJson(document[field].map(untimed));
}

/** When a tool or a number was last changed is nothing that a change consists of. */
function untimed(dated: CustomTool | BoundNumber): object {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...content } = dated;
  return content;
}

/** Whether a conversation could tell the two apart: what is always live does not count. */
export function isSameWhenPublished(one: AgentDocument, other: AgentDocument): boolean {
  return diffDocuments(one, other).every((field) => alwaysLive.has(field));
}

/** A published or pinned snapshot with everything that is always live taken from the agent as it is now. */
export function withLiveFields(snapshot: AgentDocument, live: AgentDocument): AgentDocument {
  const { status, sipTrunkId, phoneNumbers } = live;
  return { ...snapshot, status, sipTrunkId, phoneNumbers };
}

/** One text for all JSON values that are stored as the same: keys in order, as the database keeps none. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
