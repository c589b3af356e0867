import type { TranscriptItem } from "@parley/contract";
import type { Dialogue, TranscriptEntry } from "@parley/conversation";
import type { DialogueSetup } from "../../../custom-tools/create-dialogue.ts";

export interface TextReply {
  /** What the reply adds to the conversation, in order. */
  entries: readonly TranscriptEntry[];
  /** Why the reply has no end; `undefined` if it has one. */
  error: unknown;
}

/**
 * Has a dialogue answer its history, without a clock and without audio. After a failure the reply has no text, only what
 * its tools did: the next attempt continues after them and does not call them again.
 */
export async function replyInText(dialogue: Dialogue, signal: AbortSignal): Promise<TextReply> {
  const known = dialogue.history.length;
  const reply = dialogue.respond({ type: "continue" }, { signal });
  let error: unknown;
  try {
    // Settling the reply enters its parts into the history.
    for await (const _part of reply);
  } catch (cause) {
    error = cause;
  }
  dialogue.settle(reply.id, error === undefined ? undefined : []);
  return { entries: dialogue.history.slice(known), error };
}

/** Adapts a setup to text: the agent does not hang up, and a reply waits for its tools. */
export function forText(setup: DialogueSetup): DialogueSetup {
  return { ...setup, endCall: undefined, tools: setup.tools.map((tool) => ({ ...tool, isAsync: false })) };
}

/** The entries of a stored transcript that a dialogue continues from. */
export function toEntries(items: readonly TranscriptItem[]): TranscriptEntry[] {
  return items.flatMap((item): TranscriptEntry[] => {
    const { type, text, role, toolCallId = "", toolName = "", isError = false, direction } = item;
    switch (type) {
      case "message":
        return role === undefined ? [] : [{ type, role, text }];
      case "instruction":
        return [{ type, text }];
      case "tool_call":
        return [{ type, toolCallId, toolName, text }];
      case "tool_result":
        return [{ type, toolCallId, toolName, text, isError }];
      case "dtmf":
        return direction === undefined ? [] : [{ type, text, direction }];
      case "transfer":
      case "system":
        return [];
    }
  });
}
