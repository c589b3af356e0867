import type { TranscriptItem } from "@parley/contract";
import type { Dialogue, DialogueInput, TranscriptEntry } from "@parley/conversation";
import type { AgentDocument } from "../../agents/agent-document.rules.ts";
import type { DialogueSetup } from "../../../custom-tools/create-dialogue.ts";
import type { ReplyFailures } from "./reply-failures.ts";

export interface TextReply {
  /** What the reply adds to the conversation, in order. */
  entries: readonly TranscriptEntry[];
  /** Why the reply has no end; `undefined` if it has one. */
  error: unknown;
  /** Whether the reply ended the conversation, by `endCall` or at the end of a flow. */
  endsConversation: boolean;
}

/**
 * Has a dialogue answer its history, without a clock and without audio. After a failure the reply has no text, only what
 * its tools did: the next attempt continues after them and does not call them again.
 */
export async function replyInText(
  dialogue: Dialogue,
  signal: AbortSignal,
  input: DialogueInput & { type: "continue" | "begin" } = { type: "continue" },
  failures?: Pick<ReplyFailures, "note" | "noteEnd">,
): Promise<TextReply> {
  const known = dialogue.history.length;
  const reply = dialogue.respond(input, { signal });
  reply.confirm();
  let error: unknown;
  let endsConversation = false;
  try {
    // Settling the reply enters its parts into the history.
    for await (const part of reply) {
      failures?.note(part);
      if (part.type === "end") endsConversation = part.endsConversation;
    }
  } catch (cause) {
    error = cause;
  }
  failures?.noteEnd(error);
  dialogue.settle(reply.id, error === undefined ? undefined : []);
  return { entries: dialogue.history.slice(known), error, endsConversation };
}

/** Adapts a setup to text: the agent does not hang up, and a reply waits for its tools. */
export function forText(setup: DialogueSetup): DialogueSetup {
  const flow = setup.flow && { ...setup.flow, isSpoken: false };
  return {
    ...setup,
    flow,
    endCall: undefined,
    tools: setup.tools.map((tool) => ({ ...tool, isAsync: false })),
  };
}

/** Returns the document with the prompt of its channel. */
export function documentFor(document: AgentDocument, channel: "sms" | "web_chat"): AgentDocument {
  const { messagingConfig, widgetConfig, promptTemplate } = document;
  const own = channel === "sms" ? messagingConfig.smsPrompt : widgetConfig.webchatPrompt;
  return { ...document, promptTemplate: own ?? promptTemplate };
}

/** The entries of a stored transcript that a dialogue continues from. */
export function toEntries(items: readonly TranscriptItem[]): TranscriptEntry[] {
  return items.flatMap((item): TranscriptEntry[] => {
    const {
      type,
      text,
      role,
      toolCallId = "",
      toolName = "",
      isError = false,
      direction,
      nodeId,
      flowState,
    } = item;
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
      case "flow":
        return nodeId === undefined || flowState === undefined ? [] : [{ type, text, nodeId, flowState }];
      case "transfer":
      case "system":
        return [];
    }
  });
}
