/** What a write may make of an agent, its versions and what is live: pure decisions, apart from locks and tables. */
import type { AgentChange, PublishMode, VersionKind } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import { type AgentDocument, changeDocument, diffDocuments } from "./agent-document.rules.ts";

export interface AgentPublicationState {
  document: AgentDocument;
  publishMode: PublishMode;
  /** Null: the draft runs. */
  publishedRevision: number | null;
}

/** An agent as a write finds it. */
export interface SavedAgent extends AgentPublicationState {
  id: string;
  organizationId: string;
  /** Of its latest version. */
  revision: number;
  /** Of content that differs, not of revisions. */
  hasUnpublishedChanges: boolean;
  widgetKey: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface Write {
  kind: VersionKind;
  after: AgentPublicationState;
  /** True: makes a version even where nothing changes. */
  isAlwaysRecorded?: boolean;
}

/** The names of what differs, publishing included. */
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

/** A PATCH: into manual mode it publishes what it leaves behind, out of it nothing stays published. */
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

/** Throws `publish_mode_auto`. Nothing changes where the draft is already what is published. */
export function writePublishedDraft(before: SavedAgent): Write {
  requireManual(before);
  const isLive = before.publishedRevision !== null && !before.hasUnpublishedChanges;
  const publishedRevision = isLive ? before.publishedRevision : before.revision + 1;
  return { kind: "published", after: { ...stateOf(before), publishedRevision } };
}

/** Throws `publish_mode_auto`. The draft stays as it is. */
export function writePublishedRevision(before: SavedAgent, revision: number): Write {
  requireManual(before);
  return { kind: "published", after: { ...stateOf(before), publishedRevision: revision } };
}

/** The revision that calls run on in production. */
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
