import type { Database } from "../../platform/database/database.ts";
import { findHolder } from "./nodes.store.ts";

/** Knows which node holds a call. */
export class CallNodes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Where the node that holds the call takes requests; undefined where the call is over, or its node is gone. */
  async findHttpAddress(callId: string): Promise<string | undefined> {
    return (await findHolder(this.#database, callId))?.httpAddress;
  }
}
