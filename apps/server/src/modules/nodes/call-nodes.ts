import type { OperatedNode } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CallChannel, CallsService } from "../calls/calls.service.ts";
import { BEAT_INTERVAL_MS } from "./nodes.rules.ts";
import { findOtherAddress, findReadyNode, listLastBeats, listNodes, type NodeRow } from "./nodes.store.ts";

/** A node that has missed a beat may be lost, and gets no new calls. */
const DOUBTED_AFTER_MS = 2.5 * BEAT_INTERVAL_MS;

/** Finds the node of a call, and nodes with free capacity. */
export class CallNodes {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #calls: Pick<CallsService, "findNodeId">;

  constructor(database: Database, clock: Clock, calls: Pick<CallsService, "findNodeId">) {
    this.#database = database;
    this.#clock = clock;
    this.#calls = calls;
  }

  /**
   * Returns the HTTP origin of the call's node as recorded. `undefined` if the call has ended or has another
   * channel, if its node is lost, or if the address is the asking node's own.
   */
  async findOtherAddress(
    callId: string,
    channel: CallChannel,
    askingNodeId: string,
  ): Promise<string | undefined> {
    const nodeId = await this.#calls.findNodeId(callId, channel);
    return nodeId === undefined ? undefined : await findOtherAddress(this.#database, nodeId, askingNodeId);
  }

  /** Returns the last beats of nodes, by id, including nodes that have died and were not yet found lost. */
  async listLastBeats(): Promise<Map<string, Date>> {
    return await listLastBeats(this.#database);
  }

  /** Returns the id of a node that can take a call, except for these; `undefined` if there is none. */
  async findReadyNode(exceptIds: readonly string[]): Promise<string | undefined> {
    return await findReadyNode(this.#database, exceptIds, this.#silentSince());
  }

  /** Nodes with their load, as of their last beats. */
  async list(): Promise<OperatedNode[]> {
    const silentSince = this.#silentSince();
    return (await listNodes(this.#database)).map((row) => present(row, silentSince));
  }

  #silentSince(): Date {
    return new Date(this.#clock.now().getTime() - DOUBTED_AFTER_MS);
  }
}

function present({ startedAt, beatAt, state, ...node }: NodeRow, silentSince: Date): OperatedNode {
  return {
    ...node,
    state: beatAt > silentSince ? state : "silent",
    startedAt: startedAt.toISOString(),
    beatAt: beatAt.toISOString(),
  };
}
