import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CallChannel, CallsService } from "../calls/calls.service.ts";
import { BEAT_INTERVAL_MS } from "./nodes.rules.ts";
import { findOtherAddress, findReadyNode } from "./nodes.store.ts";

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

  /**
   * HTTP origin of the node that holds the call, as that node wrote it down; `undefined` if the call is over or of another
   * channel, its node is gone, or the address is that of the node that asks.
   */
  async findOtherAddress(
    callId: string,
    channel: CallChannel,
    askingNodeId: string,
  ): Promise<string | undefined> {
    const nodeId = await this.#calls.findHolder(callId, channel);
    return nodeId === undefined ? undefined : await findOtherAddress(this.#database, nodeId, askingNodeId);
  }

  /** The id of a node that could take a call, other than these; undefined where there is none. */
  async findReadyNode(exceptIds: readonly string[]): Promise<string | undefined> {
    const silentSince = new Date(this.#clock.now().getTime() - DOUBTED_AFTER_MS);
    return await findReadyNode(this.#database, exceptIds, silentSince);
  }
}
