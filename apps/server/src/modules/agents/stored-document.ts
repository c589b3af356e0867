import type { CustomTool } from "@parley/contract";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";
import { type AgentDocument, liftDocument } from "./agent-document.rules.ts";

/** Tool whose headers and query parameters, which may be credentials, are encrypted as one text. */
interface StoredTool extends Omit<CustomTool, "headers" | "queryParams"> {
  /** `null` if there are no headers and query parameters. */
  encryptedPairs: string | null;
}

type Pairs = Pick<CustomTool, "headers" | "queryParams">;

/** Document as stored in the database. Older schema versions may lack fields. */
export interface StoredDocument extends Omit<AgentDocument, "schemaVersion" | "customTools"> {
  schemaVersion: number;
  customTools: StoredTool[];
}

export function sealDocument(
  document: AgentDocument,
  agentId: string,
  encryption: Encryption,
): StoredDocument {
  const customTools = document.customTools.map(({ headers, queryParams, ...tool }): StoredTool => {
    const pairs: Pairs = { headers, queryParams };
    const isEmpty = headers.length === 0 && queryParams.length === 0;
    const text = isEmpty ? null : encryption.encrypt(JSON.stringify(pairs), contextOf(agentId));
    return { ...tool, encryptedPairs: text };
  });
  return { ...document, customTools };
}

/** Decrypts a stored document and upgrades it to this release's schema. */
export function openDocument(stored: StoredDocument, agentId: string, encryption: Encryption): AgentDocument {
  const customTools = (stored.customTools ?? []).map(({ encryptedPairs, ...tool }): CustomTool => {
    const none: Pairs = { headers: [], queryParams: [] };
    if (encryptedPairs === null) return { ...tool, ...none };
    const pairs = JSON.parse(encryption.decrypt(encryptedPairs, contextOf(agentId))) as Pairs;
    return { ...tool, ...pairs };
  });
  return liftDocument({ ...stored, customTools });
}

/** The same for all versions of an agent, because a restore copies tools between versions. */
const contextOf = (agentId: string): string => `agents/${agentId}/custom-tools`;

export const encryptedDocuments: readonly EncryptedColumn[] = [
  { table: "agents", column: "document", type: "jsonb", key: ["id"], contextOf },
  { table: "agent_versions", column: "snapshot", type: "jsonb", key: ["agent_id", "revision"], contextOf },
];
