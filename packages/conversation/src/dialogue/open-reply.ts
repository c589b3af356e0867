import type { ProviderError } from "../providers/provider-error.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { ToolCall, ToolOutcome } from "./tool-calls.ts";

/**
 * `segment` numbers the stretches of text between tool calls: the text of one segment is one message of the transcript.
 */
export type ReplyPart =
  | { type: "text"; text: string; segment: number }
  /** `isAwaited`: a `toolResult` follows. Otherwise the result comes after the reply, by `onLateResult`. */
  | { type: "toolCall"; toolCallId: string; toolName: string; input: string; isAwaited: boolean }
  | { type: "toolResult"; toolCallId: string; toolName: string; output: string; isError: boolean }
  /** The model waits for its tools: no text comes before their results. */
  | { type: "wait" }
  /** The model failed; it is asked again, or another one is. */
  | { type: "retry"; error: ProviderError; takenOverBy: string }
  /** The last part. The owner hangs up if `endsConversation`. */
  | { type: "end"; endsConversation: boolean };

/** Result of a tool, or the reason of its failure. */
export type ToolResultEntry = TranscriptEntry & { type: "tool_result" };

/** A reply under way. Its text is kept separately until it is known how much of it enters the history. */
export interface OpenReply {
  id: string;
  /** Entries that only the model sees, after the history. */
  modelOnlyEntries: readonly TranscriptEntry[];
  confirmed: Promise<void>;
  isConfirmed: boolean;
  entries: (TranscriptEntry | { type: "segment"; index: number })[];
  segments: string[];
  /** Running tools of the reply. */
  calls: Set<ToolCall>;
}

/** Number of characters of the reply so far. */
export function countCharacters(open: OpenReply): number {
  return open.segments.reduce((length, segment) => length + segment.length, 0);
}

/** The text of a segment as an entry of the history. */
export function toMessage(open: OpenReply, index: number): TranscriptEntry {
  return { type: "message", role: "agent", text: open.segments[index] ?? "" };
}

export function addText(open: OpenReply, text: string): ReplyPart {
  if (open.entries.at(-1)?.type !== "segment") {
    open.entries.push({ type: "segment", index: open.segments.length });
    open.segments.push("");
  }
  const segment = open.segments.length - 1;
  open.segments[segment] += text;
  return { type: "text", text, segment };
}

export function addToolCall(open: OpenReply, call: ToolCall, input: string): ReplyPart {
  const { toolCallId, toolName, isAsync } = call;
  open.calls.add(call);
  open.entries.push({ type: "tool_call", toolCallId, toolName, text: input });
  return { type: "toolCall", toolCallId, toolName, input, isAwaited: !isAsync };
}

export function addToolResult(open: OpenReply, call: ToolCall, outcome: ToolOutcome): ReplyPart {
  open.calls.delete(call);
  open.entries.push(toResultEntry(outcome));
  return { type: "toolResult", ...outcome };
}

export function toResultEntry({ toolCallId, toolName, output, isError }: ToolOutcome): ToolResultEntry {
  return { type: "tool_result", toolCallId, toolName, text: output, isError };
}
