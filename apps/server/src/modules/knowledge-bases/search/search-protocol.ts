import type { KnowledgePassage } from "@parley/contract";

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
}

export type ToSearch =
  /** Sent once, as the first message. */
  | { type: "configure"; databaseUrl: string; modelsDirectory: string }
  /** Reads what searches of these bases need. Not answered. */
  | { type: "prepare"; bases: SearchedBases }
  /** Answered by `found` or `failed`. */
  | { type: "search"; requestId: string; query: KnowledgeQuery };

export type FromSearch =
  | { type: "found"; requestId: string; passages: KnowledgePassage[] }
  | { type: "failed"; requestId: string; reason: string };
