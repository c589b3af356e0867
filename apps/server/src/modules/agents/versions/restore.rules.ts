/** Restores an earlier revision of an agent. */
import { type CustomTool, keysOf } from "@parley/contract";
import { type AgentDocument, diffDocuments, isSameTool } from "../agent-document.rules.ts";
import { type SavedAgent, type Write, writeDocument } from "../agent-state.rules.ts";

/** References of a snapshot whose targets may have been deleted since. */
const restoredReferences = ["sipTrunkId", "messagingConnectionId", "folderId"] as const;
type Reference = (typeof restoredReferences)[number];

/** Fields that a restore leaves unchanged and only reports as different, with their names in the report. */
const linksKept = { phoneNumbers: "phoneNumbers", knowledgeBaseIds: "knowledgeBases" } as const;

export interface Restore {
  write: Write;
  notRestored: string[];
  skippedStaleRefs: string[];
}

/**
 * Restores the snapshot. `isThere` contains, for each reference of the snapshot, whether its target still exists.
 */
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
    knowledgeBaseIds: current.knowledgeBaseIds,
    customTools: reconcileTools(current, snapshot, now),
  };
  const differing = diffDocuments(current, snapshot);
  return {
    write: { ...writeDocument(before, document), kind: "restored", isAlwaysRecorded: true },
    notRestored: keysOf(linksKept)
      .filter((name) => differing.includes(name))
      .map((name) => linksKept[name]),
    skippedStaleRefs,
  };
}

/**
 * Returns the snapshot's tools with their original ids and creation times. A tool that differs from the current one
 * counts as changed now.
 */
function reconcileTools(current: AgentDocument, snapshot: AgentDocument, now: Date): CustomTool[] {
  return snapshot.customTools.map((tool) => {
    const existing = current.customTools.find(({ id }) => id === tool.id);
    const isSame = existing !== undefined && isSameTool(existing, tool);
    return isSame ? existing : { ...tool, updatedAt: now.toISOString() };
  });
}
