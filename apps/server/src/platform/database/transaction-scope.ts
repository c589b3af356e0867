import { AsyncLocalStorage } from "node:async_hooks";

/** Closed when the transaction ends: later work is outside. */
interface Scope {
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs the work of a transaction, which occupies a connection of the pool until `work` settles. */
export async function inTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const scope: Scope = { isOpen: true };
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * Throws inside a database transaction. A transaction occupies one of few connections and its row locks: waiting there
 * for a network or another connection would let others decide how long they stay occupied. Such waits belong before the
 * transaction or after its commit (`afterCommit`).
 *
 * @param wait Names what the caller is about to wait for.
 */
export function forbidInTransaction(wait: string): void {
  if (scopes.getStore()?.isOpen !== true) return;
  throw new Error(`${wait} must not be waited for inside a database transaction`);
}
