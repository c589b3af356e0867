import { AsyncLocalStorage } from "node:async_hooks";

/** Closed at the transaction's end: work that outlives it is outside. */
interface Scope {
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs the work of a transaction, which holds a connection of the pool until `work` settles. */
export async function inTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const scope: Scope = { isOpen: true };
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * Throws inside a database transaction. A transaction holds one of few connections and its row locks: whoever waits for a
 * network or for another connection there lets strangers decide how long. Waits belong before the transaction, or after its
 * commit (`afterCommit`).
 *
 * @param wait What the caller is about to wait for.
 */
export function forbidInTransaction(wait: string): void {
  if (scopes.getStore()?.isOpen !== true) return;
  throw new Error(`${wait} must not be waited for inside a database transaction`);
}
