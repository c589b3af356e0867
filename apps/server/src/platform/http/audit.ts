import type { Principal } from "./principal.ts";

/** A successful operation that wrote. */
export interface AuditedAction {
  organizationId: string;
  actor: Principal["actor"];
  /** Id of the API key or of the user. */
  actorId: string;
  /** Name of the operation. */
  action: string;
  targetId: string | null;
  ipAddress: string;
}

/** Stores an action in the current transaction, if there is one. */
export type RecordAction = (action: AuditedAction) => Promise<void>;

/** What an operation changed: the last part of its path that names something, else what it created. */
export function targetOf(params: unknown, answer: unknown): string | null {
  const named: unknown = Object.values(params ?? {}).at(-1);
  if (typeof named === "string") return named;
  const { data } = (answer ?? {}) as { data?: { id?: unknown } | null };
  return typeof data?.id === "string" ? data.id : null;
}
