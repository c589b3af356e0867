import type { Database } from "../../platform/database/database.ts";
import { findHolder, findReadyNode } from "./nodes.store.ts";

/** Knows which node holds a call, and which could hold another. */
export class CallNodes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Where the node that holds the call takes requests; undefined where the call is over, or its node is gone. */
  async findHttpAddress(callId: string): Promise<string | undefined> {
    return (await findHolder(this.#database, callId))?.httpAddress;
  }

  /** The id of a node that could take a call, other than this one; undefined where there is none. */
  async findReadyNode(exceptId: string): Promise<string | undefined> {
    return await findReadyNode(this.#database, exceptId);
  }
}
