import type { Handover } from "../calls/calls.service.ts";

/** What can be asked of a call, wherever it is held. */
export type ActiveCallCommand =
  /** The agent is told something; `speak`: it is to say it at once. */
  { type: "instruct"; text: string; speak: boolean } | { type: "hangUp" };

/** What a node that does not hold a call yet is to do to hold it. */
export type PlacingCommand =
  | { type: "dial"; ringTimeoutMs: number }
  /** A browser will join. */
  | { type: "awaitBrowser" };

/** What can be asked of a call's node. */
export type CallCommand = ActiveCallCommand | (PlacingCommand & Handover);

/** `refused`: the call cannot do this, or no longer. */
export type CallCommandAnswer = "done" | "refused";

/** A call of this node. */
export interface CallHere {
  nodeId: string;
  organizationId: string;
  isInProgress: boolean;
}

/** Knows the calls of this node. */
export interface CallCommandHandler {
  /** Undefined where the call is not held here. */
  findHere: (callId: string) => CallHere | undefined;
  /** Undefined where the call is not held here. */
  carryOut: (callId: string, command: CallCommand) => Promise<CallCommandAnswer> | undefined;
}
