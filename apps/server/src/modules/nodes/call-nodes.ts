import type { Database } from "../../platform/database/database.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { findHttpAddress, findReadyNode } from "./nodes.store.ts";

/** Knows which node holds a call, and which could hold another. */
export class CallNodes {
  readonly #database: Database;
  readonly #calls: Pick<CallsService, "findHolder">;

  constructor(database: Database, calls: Pick<CallsService, "findHolder">) {
    this.#database = database;
    this.#calls = calls;
  }

  /** Where the node that holds the call takes requests; undefined where the call is over, or its node is gone. */
  async findHttpAddress(callId: string): Promise<string | undefined> {
    const nodeId = await this.#calls.findHolder(callId);
    return nodeId === undefined ? undefined : await findHttpAddress(this.#database, nodeId);
  }

  /** The id of a node that could take a call, other than this one; undefined where there is none. */
  async findReadyNode(exceptId: string): Promise<string | undefined> {
    return await findReadyNode(this.#database, exceptId);
  }
}
