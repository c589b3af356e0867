import { AppError } from "../../platform/app-error.ts";
import type { CallCommandAnswer, PlacingCommand } from "./call-command.ts";
import type { CallCommands } from "./call-commands.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import type { CallsService, Handover, PlacedCall } from "../calls/calls.service.ts";

interface CallPlacementDependencies {
  calls: Pick<CallsService, "findHolder" | "findPlaced" | "move">;
  callNodes: Pick<CallNodes, "findReadyNode">;
  callCommands: Pick<CallCommands, "send">;
}

/** Nodes that are asked, one after the other, before a call is given up. */
const MOST_NODES = 3;

/**
 * Gives calls that begin to nodes that have room. Until another node has taken it, a call is that of the node that wrote it
 * down: whichever of the two dies, the call is closed with it.
 */
export class CallPlacement {
  readonly #dependencies: CallPlacementDependencies;

  constructor(dependencies: CallPlacementDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `capacity_exceeded` where no other node has room. */
  async requireOtherNode(nodeId: string): Promise<void> {
    const other = await this.#dependencies.callNodes.findReadyNode([nodeId]);
    if (other === undefined) throw new AppError("capacity_exceeded");
  }

  /** Has another node hold a call that this one has written down; resolves with whether one does. */
  async handOver(callId: string, fromNodeId: string, command: PlacingCommand): Promise<boolean> {
    const { calls, callNodes, callCommands } = this.#dependencies;
    const asked = [fromNodeId];
    while (asked.length <= MOST_NODES) {
      const toNodeId = await callNodes.findReadyNode(asked);
      if (toNodeId === undefined) break;
      asked.push(toNodeId);
      const call = { id: callId, nodeId: toNodeId };
      const answer = await callCommands.send(call, { ...command, fromNodeId, toNodeId });
      if (answer === "done") return true;
    }
    // One that did not answer in time may have taken it.
    return (await calls.findHolder(callId)) !== fromNodeId;
  }

  /**
   * The other node's side: makes a call that was placed here this node's.
   *
   * @param prepare Makes of its record what `begin` needs, undefined where that is not possible any more.
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
