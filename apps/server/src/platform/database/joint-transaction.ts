import { AsyncLocalStorage } from "node:async_hooks";
import type { Database, Queries } from "./database.ts";

type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** Cleared when the transaction ends: later work goes to the database itself. */
interface Scope {
  transaction: Transaction | undefined;
  /** Callbacks that wait for the commit. */
  afterCommit: (() => void | Promise<void>)[];
}

const SOURCE = Symbol("source");

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `work` in a transaction that all of its database work joins, including transactions of its own (as savepoints):
 * all of it commits, or nothing if `work` rejects. Also rejects if an `afterCommit` callback rejects, in which case the
 * work is committed. `database` must come from `joinable`.
 */
export async function inJointTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const scope: Scope = { transaction: undefined, afterCommit: [] };
  const result = await database.transaction(async (transaction) => {
    scope.transaction = transaction;
    try {
      return await scopes.run(scope, async () => await work(transaction));
    } finally {
      scope.transaction = undefined;
    }
  });
  for (const then of scope.afterCommit) await then();
  return result;
}

/** Runs `work` in the current joint transaction, or in one of its own if there is none: `afterCommit` waits for either. */
export async function joinTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return scopes.getStore()?.transaction === undefined
    ? await inJointTransaction(database, work)
    : await database.transaction(work);
}

/**
 * Calls back once all writes so far are visible to others: after the commit of the current joint transaction, or at
 * once if there is none. Not called if the transaction rolls back. The callback's own work belongs to no transaction.
 * The caller of `inJointTransaction`, or of this function if there is no joint transaction, waits for the callback and
 * gets its rejection.
 */
export async function afterCommit(then: () => void | Promise<void>): Promise<void> {
  const scope = scopes.getStore();
  if (scope?.transaction === undefined) await outsideJointTransaction(then);
  else scope.afterCommit.push(() => outsideJointTransaction(then));
}

/** Whether queries go to a transaction that has not ended. */
export function isInJointTransaction(): boolean {
  return scopes.getStore()?.transaction !== undefined;
}

/** Whether callbacks wait for the commit of the current joint transaction. */
export function hasAfterCommit(): boolean {
  return (scopes.getStore()?.afterCommit.length ?? 0) > 0;
}

/** Database that directs queries to the current joint transaction if there is one. */
export function joinable(database: Database): Database {
  return new Proxy(database, {
    get: (target, property) => {
      const transaction = scopes.getStore()?.transaction;
      if (property === SOURCE) return transaction ?? target;
      const source = transaction !== undefined && property in transaction ? transaction : target;
      const value: unknown = Reflect.get(source, property);
      return typeof value === "function" ? value.bind(source) : value;
    },
  });
}

/** Current target of queries: the joint transaction, or the given one. */
export function sourceOf(queries: Queries & { [SOURCE]?: Queries }): Queries {
  return queries[SOURCE] ?? queries;
}

/** Runs `work` outside the joint transaction, after its end. */
function outsideJointTransaction<T>(work: () => T): T {
  return scopes.run({ transaction: undefined, afterCommit: [] }, work);
}
