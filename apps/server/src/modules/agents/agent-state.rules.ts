/** Pure decisions about writes to an agent, its versions and its publication, separate from locks and tables. */
import type { AgentChange, PublishMode, VersionKind } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import { type AgentDocument, changeDocument, diffDocuments } from "./agent-document.rules.ts";

export interface AgentPublicationState {
  document: AgentDocument;
  publishMode: PublishMode;
  /** `null` if the draft runs. */
  publishedRevision: number | null;
}

/** Agent before a write. */
export interface SavedAgent extends AgentPublicationState {
  id: string;
  organizationId: string;
  /** Revision of the latest version. */
  revision: number;
  /** Whether the content differs; the revision numbers may differ without it. */
  hasUnpublishedChanges: boolean;
  widgetKey: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface Write {
  kind: VersionKind;
  after: AgentPublicationState;
  /** If `true`, creates a version even if nothing changes. */
  isAlwaysRecorded?: boolean;
}

/** Names of the fields that differ, including those of publishing. */
export function diffStates(before: AgentPublicationState, after: AgentPublicationState): string[] {
  const publishing = (["publishMode", "publishedRevision"] as const).filter(
    (field) => before[field] !== after[field],
  );
  return [...diffDocuments(before.document, after.document), ...publishing];
}

export function writeDocument(before: SavedAgent, document: AgentDocument): Write {
  const { publishMode, publishedRevision } = before;
  return { kind: "updated", after: { document, publishMode, publishedRevision } };
}

/**
 * Decides a PATCH. A change to manual mode publishes the state before it; a change to automatic mode removes the
 * published revision.
 */
export function writeChange(
  before: SavedAgent,
  { publishMode: requested, ...change }: AgentChange & { publishMode?: PublishMode | null },
): Write {
  const document = changeDocument(before.document, change);
  const publishMode = requested === undefined ? before.publishMode : (requested ?? "auto");
  if (publishMode === before.publishMode) return writeDocument(before, document);
  if (publishMode === "auto")
    return { kind: "updated", after: { document, publishMode, publishedRevision: null } };
  return { kind: "published", after: { document, publishMode, publishedRevision: before.revision + 1 } };
}

/** Throws `publish_mode_auto`. Changes nothing if the draft equals the published revision. */
export function writePublishedDraft(before: SavedAgent): Write {
  requireManual(before);
  const isLive = before.publishedRevision !== null && !before.hasUnpublishedChanges;
  const publishedRevision = isLive ? before.publishedRevision : before.revision + 1;
  return { kind: "published", after: { ...stateOf(before), publishedRevision } };
}

/** Throws `publish_mode_auto`. Leaves the draft unchanged. */
export function writePublishedRevision(before: SavedAgent, revision: number): Write {
  requireManual(before);
  return { kind: "published", after: { ...stateOf(before), publishedRevision: revision } };
}

/** Revision that calls run on in production. */
export function liveRevision({
  publishedRevision,
  revision,
}: Pick<SavedAgent, "publishedRevision" | "revision">) {
  return publishedRevision ?? revision;
}

function requireManual({ publishMode }: AgentPublicationState): void {
  if (publishMode === "auto") throw new AppError("publish_mode_auto");
}

function stateOf({ document, publishMode, publishedRevision }: SavedAgent): AgentPublicationState {
  return { document, publishMode, publishedRevision };
}
