import type { KnowledgePassage } from "@parley/contract";
import type { EmbedderSettings } from "../embedder.ts";

/** Bases of one organization. Those of other organizations are not found. */
export interface SearchedBases {
  organizationId: string;
  knowledgeBaseIds: readonly string[];
}

export interface KnowledgeQuery extends SearchedBases {
  query: string;
  /** Maximum number of passages. */
  limit: number;
  /** Minimum score of a passage. */
  threshold: number;
  /**
   * Whether a base that has just changed may be searched as it was, and by words alone if the query cannot be embedded. Default:
   * false.
   */
  isHurried?: boolean;
}

export type ToSearch =
  /** Sent once, as the first message. */
  | { type: "configure"; databaseUrl: string; embedder: EmbedderSettings }
  /** Reads what searches of these bases need. Not answered. */
  | { type: "prepare"; bases: SearchedBases }
  /** Answered by `found` or `failed`. */
  | { type: "search"; requestId: string; query: KnowledgeQuery };

export type FromSearch =
  /** `problem`: why the query was not embedded, so that only its words were searched. */
  | { type: "found"; requestId: string; passages: KnowledgePassage[]; problem: string | undefined }
  | { type: "failed"; requestId: string; reason: string };
