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
import { canonicalJson } from "../../platform/canonical-json.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";

/** Phone number as stored in the agent's document. Numbers have a table of their own. */
export interface BoundNumber {
  id: string;
  e164: string;
  /** `null` is production. */
  environment: string | null;
  createdAt: string;
  updatedAt: string;
}

/** All data of an agent that has versions, with every field present regardless of the release that wrote it. */
export interface AgentDocument extends AgentConfiguration {
  schemaVersion: typeof SCHEMA_VERSION;
  phoneNumbers: BoundNumber[];
  customTools: CustomTool[];
}

/** Incremented whenever the contract's tables gain, lose or rename a field; a test checks it. */
export const SCHEMA_VERSION = 6;

/** Fields that are live regardless of the published version (specification §3.1). */
const alwaysLive: ReadonlySet<keyof AgentDocument> = new Set([
  "status",
  "sipTrunkId",
  "phoneNumbers",
  "knowledgeBaseIds",
]);

export function createDocument(creation: AgentCreation): AgentDocument {
  const fields = mergeFields(agentFields, undefined, creation);
  return normalize({ schemaVersion: SCHEMA_VERSION, ...fields, phoneNumbers: [], customTools: [] });
}

/**
 * Applies a change: absent fields stay, `null` resets a field to its default. Ignores fields outside the configuration.
 */
export function changeDocument(document: AgentDocument, change: AgentChange): AgentDocument {
  return normalize({ ...document, ...mergeFields(agentFields, document, change) });
}

/** Stores `production` as `null`, and numbers in E.164. */
function normalize(document: AgentDocument): AgentDocument {
  const { messagingConfig } = document;
  const { fromNumber } = messagingConfig;
  if (fromNumber !== null) messagingConfig.fromNumber = normalizePhoneNumber(fromNumber) ?? fromNumber;
  document.knowledgeBaseIds = [...new Set(document.knowledgeBaseIds)];
  if (document.widgetConfig.environment === "production") document.widgetConfig.environment = null;
  return document;
}

/** Document as written by any release. */
type AnyDocument = Readonly<Record<string, unknown>>;

/**
 * Upgrades from each schema version to the next; the first upgrades version 1. Pure: equal documents stay equal. Fields
 * that are missing afterwards get their defaults, so a version that only adds fields needs no code here.
 */
const upgraders: readonly ((document: AnyDocument) => AnyDocument)[] = [
  // Version 1 stored status and trunk beside the document and had no tools or numbers.
  (document) => ({ phoneNumbers: [], customTools: [], ...document }),
  (document) => document,
  (document) => document,
  (document) => document,
  (document) => document,
];

/** Upgrades a document of an older release. Returns a document of the current schema unchanged. */
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

/** Compares two tools, ignoring when they were last changed. */
export function isSameTool(one: CustomTool, other: CustomTool): boolean {
  return canonicalJson(untimed(one)) === canonicalJson(untimed(other));
}

function contentOf(field: keyof AgentDocument, document: AgentDocument): string {
  if (field !== "customTools" && field !== "phoneNumbers") return canonicalJson(document[field]);
  return canonicalJson(document[field].map(untimed));
}

/** Removes the time of the last change, which is not part of a change. */
function untimed(dated: CustomTool | BoundNumber): object {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...content } = dated;
  return content;
}

/** Compares two documents without the fields that are always live: `true` if no conversation could tell them apart. */
export function isSameWhenPublished(one: AgentDocument, other: AgentDocument): boolean {
  return diffDocuments(one, other).every((field) => alwaysLive.has(field));
}

/** Returns a published or pinned snapshot with all always-live fields taken from the current agent. */
export function withLiveFields(snapshot: AgentDocument, live: AgentDocument): AgentDocument {
  const { status, sipTrunkId, phoneNumbers, knowledgeBaseIds } = live;
  return { ...snapshot, status, sipTrunkId, phoneNumbers, knowledgeBaseIds };
}
