import type { Actor } from "@parley/contract";

/** Organization and actor of a write; version histories name the actor. */
export interface Author {
  organizationId: string;
  actor: Actor;
}
