import { AppError } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { type ApiKeyRow, findKeysByHash } from "./api-keys.store.ts";

/** A query for so many takes some milliseconds; a server that has more waiting has no database. */
const MAX_WAITING = 1_000;

/**
 * Finds keys by their hashes, one query at a time: requests that come meanwhile share the next one. So whoever tries keys
 * takes one connection and a bounded share of the database, and a valid key is found among them.
 */
export class KeyLookup {
  readonly #database: Database;
  #waiting = new Map<string, PromiseWithResolvers<ApiKeyRow | undefined>>();
  #isRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws `database_unavailable` if too many wait. */
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
    // What asks in this turn of the event loop is of the first query already.
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
