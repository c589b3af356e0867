import type { Handover } from "../calls/calls.service.ts";

/** Commands for an active call, on any node. */
export type ActiveCallCommand =
  /** Gives the agent an instruction. `speak`: the agent responds to it at once. */
  { type: "instruct"; text: string; speak: boolean } | { type: "hangUp" };

/** Commands by which another node takes over a placed call. */
export type PlacingCommand =
  | { type: "dial"; ringTimeoutMs: number }
  /** Waits for a browser to join. */
  | { type: "awaitBrowser" };

/** Commands that one node sends to another. */
export type CallCommand = ActiveCallCommand | (PlacingCommand & Handover);

/** `refused`: the call does not support the command, or no longer does. */
export type CallCommandAnswer = "done" | "refused";

/** An active call of this node. */
export interface LocalCall {
  nodeId: string;
  organizationId: string;
  isInProgress: boolean;
}

/** The active calls of this node. */
export interface LocalCalls {
  /** Returns the call, or `undefined` if it does not belong to this node. */
  findLocal: (callId: string) => LocalCall | undefined;
  /** Returns the answer, or `undefined` if the call does not belong to this node. */
  carryOut: (callId: string, command: ActiveCallCommand) => Promise<CallCommandAnswer> | undefined;
}

/** Takes over calls that other nodes placed. */
export type PlacingHandlers = {
  [Type in PlacingCommand["type"]]: (
    callId: string,
    command: Extract<CallCommand, { type: Type }>,
  ) => Promise<CallCommandAnswer>;
};
