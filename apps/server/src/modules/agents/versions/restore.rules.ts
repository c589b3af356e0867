/** What the restore of an earlier revision makes of an agent. */
import type { CustomTool } from "@parley/contract";
import { type AgentDocument, diffDocuments, isSameTool } from "../agent-document.rules.ts";
import { type SavedAgent, type Write, writeDocument } from "../agent-state.rules.ts";

/** What a snapshot names that may be gone since. */
const restoredReferences = ["sipTrunkId", "messagingConnectionId", "folderId"] as const;
type Reference = (typeof restoredReferences)[number];

/** Of these a restore only tells that they differ. */
const linksKept = ["phoneNumbers"] as const;

export interface Restore {
  write: Write;
  notRestored: string[];
  skippedStaleRefs: string[];
}

/** `isThere` says of each reference of the snapshot whether what it names still exists. */
export function restoreSnapshot(
  before: SavedAgent,
  snapshot: AgentDocument,
  isThere: Readonly<Record<Reference, boolean>>,
  now: Date,
): Restore {
  const current = before.document;
  const skippedStaleRefs = restoredReferences.filter((name) => snapshot[name] !== null && !isThere[name]);
  const document: AgentDocument = {
    ...snapshot,
    ...Object.fromEntries(skippedStaleRefs.map((name) => [name, current[name]])),
    phoneNumbers: current.phoneNumbers,
    customTools: reconcileTools(current, snapshot, now),
  };
  const differing = diffDocuments(current, snapshot);
  return {
    write: { ...writeDocument(before, document), kind: "restored", isAlwaysRecorded: true },
    notRestored: linksKept.filter((name) => differing.includes(name)),
    skippedStaleRefs,
  };
}

/** The snapshot's tools, with the ids and times of creation that they had; what comes back changed, changed now. */
function reconcileTools(current: AgentDocument, snapshot: AgentDocument, now: Date): CustomTool[] {
  return snapshot.customTools.map((tool) => {
    const existing = current.customTools.find(({ id }) => id === tool.id);
    const isSame = existing !== undefined && isSameTool(existing, tool);
    return isSame ? existing : { ...tool, updatedAt: now.toISOString() };
  });
}
