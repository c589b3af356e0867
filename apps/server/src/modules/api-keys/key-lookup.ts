import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { type ApiKeyRow, findKeysByHash } from "./api-keys.store.ts";

/** A query for this many keys takes some milliseconds; if more are waiting, the database is not answering. */
const MAX_WAITING = 1_000;

/**
 * Finds keys by their hashes, one query at a time; requests that arrive meanwhile share the next query. A client that
 * guesses keys therefore occupies one connection and a bounded share of the database, and valid keys are still found.
 */
export class KeyLookup {
  readonly #database: Database;
  #waiting = new Map<string, PromiseWithResolvers<ApiKeyRow | undefined>>();
  #isRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws `database_unavailable` if too many lookups are waiting. */
  async find(hash: string): Promise<ApiKeyRow | undefined> {
    const found = this.#waiting.get(hash) ?? Promise.withResolvers<ApiKeyRow | undefined>();
    if (!this.#waiting.has(hash) && this.#waiting.size >= MAX_WAITING)
      throw new AppError("database_unavailable");
    this.#waiting.set(hash, found);
    if (!this.#isRunning) void this.#run();
    return await found.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Lookups of the same turn of the event loop share the first query.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const asked = this.#waiting;
      this.#waiting = new Map();
      try {
        const rows = await findKeysByHash(this.#database, [...asked.keys()]);
        const byHash = new Map(rows.map((row) => [row.hash, row]));
        for (const [hash, { resolve }] of asked) resolve(byHash.get(hash));
      } catch (error) {
        for (const { reject } of asked.values()) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
