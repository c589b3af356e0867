import { AppError } from "../../platform/app-error.ts";
import type { CallCommandAnswer, PlacingCommand } from "./call-command.ts";
import type { CallCommands } from "./call-commands.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import type { CallsService, Handover, PlacedCall } from "../calls/calls.service.ts";

interface CallPlacementDependencies {
  calls: Pick<CallsService, "findNodeId" | "findPlaced" | "move">;
  callNodes: Pick<CallNodes, "findReadyNode">;
  callCommands: Pick<CallCommands, "send">;
}

/** Number of nodes to try, one after the other, before the call fails. */
const MAX_NODES = 3;

/**
 * Hands new calls over to nodes with free capacity. Until another node has taken the call, it belongs to the
 * node that wrote its record: if either of the two dies, the call is closed with it.
 */
export class CallPlacement {
  readonly #dependencies: CallPlacementDependencies;

  constructor(dependencies: CallPlacementDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `capacity_exceeded` if no other node has free capacity. */
  async requireOtherNode(nodeId: string): Promise<void> {
    const other = await this.#dependencies.callNodes.findReadyNode([nodeId]);
    if (other === undefined) throw new AppError("capacity_exceeded");
  }

  /** Hands a call of this node over to another node. Resolves with false if no node takes it. */
  async handOver(callId: string, fromNodeId: string, command: PlacingCommand): Promise<boolean> {
    const { calls, callNodes, callCommands } = this.#dependencies;
    const asked = [fromNodeId];
    while (asked.length <= MAX_NODES) {
      const toNodeId = await callNodes.findReadyNode(asked);
      if (toNodeId === undefined) break;
      asked.push(toNodeId);
      const call = { id: callId, nodeId: toNodeId };
      const answer = await callCommands.send(call, { ...command, fromNodeId, toNodeId });
      if (answer === "done") return true;
    }
    // A node that did not answer in time may have taken the call.
    return (await calls.findNodeId(callId)) !== fromNodeId;
  }

  /**
   * Takes over a call that another node placed here.
   *
   * @param prepare Returns what `begin` needs, or `undefined` if the call can no longer be made.
   */
  async take<T>(
    callId: string,
    handover: Handover,
    {
      prepare,
      begin,
    }: {
      prepare: (call: PlacedCall) => Promise<T | undefined>;
      begin: (call: PlacedCall, prepared: T) => void;
    },
  ): Promise<CallCommandAnswer> {
    const { calls } = this.#dependencies;
    const call = await calls.findPlaced(callId, handover.fromNodeId);
    const prepared = call && (await prepare(call));
    if (call === undefined || prepared === undefined) return "refused";
    if (!(await calls.move(callId, handover))) return "refused";
    begin(call, prepared);
    return "done";
  }
}
