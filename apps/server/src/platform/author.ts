import type { Actor } from "@parley/contract";

/** The organization and the actor on whose behalf something is written; version histories name the actor. */
export interface Author {
  organizationId: string;
  actor: Actor;
}
