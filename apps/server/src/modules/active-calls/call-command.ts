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
export interface LocalCall {
  nodeId: string;
  organizationId: string;
  isInProgress: boolean;
}

/** The calls of this node. */
export interface LocalCalls {
  /** `undefined` if the call is not of this node. */
  findLocal: (callId: string) => LocalCall | undefined;
  /** `undefined` if the call is not of this node. */
  carryOut: (callId: string, command: ActiveCallCommand) => Promise<CallCommandAnswer> | undefined;
}

/** Takes over calls that other nodes placed. */
export type PlacingHandlers = {
  [Type in PlacingCommand["type"]]: (
    callId: string,
    command: Extract<CallCommand, { type: Type }>,
  ) => Promise<CallCommandAnswer>;
};
