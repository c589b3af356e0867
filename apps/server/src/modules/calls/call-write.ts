import type { ProviderFailure, TranscriptItem, Turn, Variables } from "@parley/contract";
import type { CallAnswer, CallEnd, CallsService } from "./calls.service.ts";

/** The methods of the calls' service that write a record. */
export type CallWrites = Pick<
  CallsService,
  | "markRinging"
  | "markAnswered"
  | "setVariables"
  | "appendItems"
  | "recordTurns"
  | "recordProviderFailure"
  | "finish"
>;

/** One write to a call's record. Idempotent. */
export type CallWrite =
  | { type: "ringing"; at: Date }
  | { type: "answered"; answer: CallAnswer }
  /** The variables that the conversation runs with after the pre-call webhook. */
  | { type: "variables"; variables: Variables }
  | { type: "item"; item: TranscriptItem; at: Date }
  | { type: "turn"; turn: Turn }
  | { type: "providerFailure"; failure: ProviderFailure }
  | { type: "finish"; end: CallEnd };

/** Whether a write may be left out to limit memory and disk: the others are few, and decide what a call costs. */
export function isDroppable({ type }: CallWrite): boolean {
  return type === "item" || type === "turn" || type === "providerFailure";
}

export async function carryOutWrite(calls: CallWrites, callId: string, write: CallWrite): Promise<void> {
  switch (write.type) {
    case "ringing":
      return await calls.markRinging(callId, write.at);
    case "answered":
      return await calls.markAnswered(callId, write.answer);
    case "variables":
      return await calls.setVariables(callId, write.variables);
    case "item":
      return await calls.appendItems(callId, [write.item], write.at);
    case "turn":
      return await calls.recordTurns(callId, [write.turn]);
    case "providerFailure":
      return await calls.recordProviderFailure(callId, write.failure);
    case "finish":
      await calls.finish(callId, write.end);
  }
}

/** Restores a write that went through `JSON.stringify`: JSON has no dates. */
export function reviveWrite(write: CallWrite): CallWrite {
  switch (write.type) {
    case "ringing":
    case "item":
      return { ...write, at: new Date(write.at) };
    case "answered":
      return { ...write, answer: { ...write.answer, at: new Date(write.answer.at) } };
    case "finish":
      return { ...write, end: { ...write.end, endedAt: new Date(write.end.endedAt) } };
    case "variables":
    case "turn":
    case "providerFailure":
      return write;
  }
}
