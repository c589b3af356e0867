import type { Clock } from "../../platform/database/database-clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { BEAT_INTERVAL_MS } from "./nodes.rules.ts";
import { findHttpAddress, findReadyNode } from "./nodes.store.ts";

/** A node that has missed a beat may be gone, and is asked for nothing new. */
const DOUBTED_AFTER_MS = 2.5 * BEAT_INTERVAL_MS;

/** Knows which node holds a call, and which could hold another. */
export class CallNodes {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #calls: Pick<CallsService, "findHolder">;

  constructor(database: Database, clock: Clock, calls: Pick<CallsService, "findHolder">) {
    this.#database = database;
    this.#clock = clock;
    this.#calls = calls;
  }

  /** Where the node that holds the call takes requests; undefined where the call is over, or its node is gone. */
  async findHttpAddress(callId: string): Promise<string | undefined> {
    const nodeId = await this.#calls.findHolder(callId);
    return nodeId === undefined ? undefined : await findHttpAddress(this.#database, nodeId);
  }

  /** The id of a node that could take a call, other than these; undefined where there is none. */
  async findReadyNode(exceptIds: readonly string[]): Promise<string | undefined> {
    const silentSince = new Date(this.#clock.now().getTime() - DOUBTED_AFTER_MS);
    return await findReadyNode(this.#database, exceptIds, silentSince);
  }
}
