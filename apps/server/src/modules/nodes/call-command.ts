/** What can be asked of a call, wherever it is held. */
export type HeldCallCommand =
  /** The agent is told something; `speak`: it is to say it at once. */
  { type: "instruct"; text: string; speak: boolean } | { type: "hangUp" };

/** What can be asked of a call's node. */
export type CallCommand =
  | HeldCallCommand
  /** The node, which is named since it does not hold the call yet, is to dial it. */
  | { type: "dial"; nodeId: string; ringTimeoutMs: number };

/** `refused`: the call cannot do this, or no longer. */
export type CallCommandAnswer = "done" | "refused";

/** A call of this node. */
export interface CallHere {
  nodeId: string;
  organizationId: string;
  isInProgress: boolean;
}

/** Knows the calls of this node. */
export interface CallHolder {
  /** Undefined where the call is not held here. */
  findHere: (callId: string) => CallHere | undefined;
  /** Undefined where the call is not held here. */
  carryOut: (callId: string, command: CallCommand) => Promise<CallCommandAnswer> | undefined;
}
