import { AsyncLocalStorage } from "node:async_hooks";
import type { Database, Queries } from "./database.ts";

type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** Emptied at the transaction's end: work that outlives it goes to the database again. */
interface Scope {
  transaction: Transaction | undefined;
  /** What waits for its commit. */
  afterCommit: (() => void | Promise<void>)[];
}

const SOURCE = Symbol("source");

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `work` in a transaction that everything it does with the database joins, transactions of its own included (as
 * savepoints): all of it is kept, or with a rejection of `work` none. Rejects as well with what was to follow the commit
 * rejects with, and then all of it is kept. `database` is one that `joinable` made.
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

/**
 * Calls back once what was written so far is there for others: after the joint transaction where one is under way, and
 * then only if it is kept; else at once. Its own work belongs to no transaction. Whoever made the joint transaction waits for
 * it and is told by what it rejects with; where there is none, whoever calls this.
 */
export async function afterCommit(then: () => void | Promise<void>): Promise<void> {
  const scope = scopes.getStore();
  if (scope?.transaction === undefined) await outsideJointTransaction(then);
  else scope.afterCommit.push(() => outsideJointTransaction(then));
}

/** Whether something waits for the commit of the joint transaction under way. */
export function hasAfterCommit(): boolean {
  return (scopes.getStore()?.afterCommit.length ?? 0) > 0;
}

/** A database that goes to the joint transaction where one is under way. */
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

/** What queries go to at this moment: the joint transaction, or what was given. */
export function sourceOf(queries: Queries & { [SOURCE]?: Queries }): Queries {
  return queries[SOURCE] ?? queries;
}

/** What `work` does with the database is its own: it runs once the transaction is over. */
function outsideJointTransaction<T>(work: () => T): T {
  return scopes.run({ transaction: undefined, afterCommit: [] }, work);
}
