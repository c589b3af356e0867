import type { FastifyRequest } from "fastify";
import type { Principal } from "./principal.ts";

/** A successful operation that wrote. */
export interface AuditedAction {
  /** Null: an operator's action that is about no organization. */
  organizationId: string | null;
  actor: Principal["actor"] | { type: "operator"; name: string };
  /** Id of the API key or of the user. Null: the operator's key. */
  actorId: string | null;
  /** Name of the operation. */
  action: string;
  targetId: string | null;
  /** What is recorded beside the operation, such as a consent. Default: nothing. */
  detail?: string | null;
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

/**
 * Adds the operation to the audit log: in the transaction of its effect, or right after it. In the latter case a failure is
 * logged, because the effect remains.
 */
export async function recordWrite(
  { server, log }: Pick<FastifyRequest, "server" | "log">,
  action: AuditedAction,
  { isInTransaction }: { isInTransaction: boolean },
): Promise<void> {
  try {
    await server.recordAction(action);
  } catch (error) {
    if (isInTransaction) throw error;
    log.error({ err: error, action }, "an operation is missing in the audit log");
  }
}
