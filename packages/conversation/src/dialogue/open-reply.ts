import { isSpeakable, speakableText } from "../voice/speaking/speakable-text.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { KnowledgePassage, TranscriptEntry } from "../transcript.ts";
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
  /** A step of the flow. It counts once the text before it was heard. */
  | { type: "flow"; entry: FlowEntry }
  /**
   * The last part. The owner hangs up if `endsConversation`, and requests another reply once this one was heard if `hasMore`.
   */
  | { type: "end"; endsConversation: boolean; hasMore?: boolean };

/** A step of a flow. */
export type FlowEntry = TranscriptEntry & { type: "flow" };

/** Result of a tool, or the reason of its failure. */
export type ToolResultEntry = TranscriptEntry & { type: "tool_result" };

/** A reply under way. Its text is kept separately until it is known how much of it enters the history. */
export interface OpenReply {
  id: string;
  /** Entries that only the model sees, after the history. */
  modelOnlyEntries: readonly TranscriptEntry[];
  /** Passages that the model is given for it. */
  knowledge: readonly KnowledgePassage[];
  confirmed: Promise<void>;
  isConfirmed: boolean;
  entries: (TranscriptEntry | { type: "segment"; index: number })[];
  segments: string[];
  /** Running tools of the reply. */
  calls: Set<ToolCall>;
  /** Number of inputs of the conversation that the flow has used with this reply. */
  usedInputs: number;
}

/** Number of characters of the reply so far. */
export function countCharacters(open: OpenReply): number {
  return open.segments.reduce((length, segment) => length + segment.length, 0);
}

/** The text of a segment as an entry of the history. */
export function toMessage(open: OpenReply, index: number): TranscriptEntry {
  return { type: "message", role: "agent", text: open.segments[index] ?? "" };
}

/** Adds a text as a message of its own. */
export function addMessage(open: OpenReply, text: string): ReplyPart {
  open.entries.push({ type: "segment", index: open.segments.length });
  open.segments.push(text);
  return { type: "text", text, segment: open.segments.length - 1 };
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

export function addStep(open: OpenReply, entry: FlowEntry): ReplyPart {
  open.entries.push(entry);
  return { type: "flow", entry };
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

/**
 * The entries of a reply that enter the history. `delivered`: the text that was heard, by segment; `undefined`: all. A
 * step of the flow counts if the text before it was begun, or if a tool was called after it.
 */
export function settledEntries(open: OpenReply, delivered: readonly string[] | undefined): TranscriptEntry[] {
  const heard = open.segments.map((generated, index) =>
    (delivered === undefined ? generated : (delivered[index] ?? "")).trim(),
  );
  const stepsEnd = findStepsEnd(open, heard);
  return open.entries.flatMap((entry, position): TranscriptEntry[] => {
    if (entry.type === "flow") return position < stepsEnd ? [entry] : [];
    if (entry.type !== "segment") return [entry];
    const text = heard[entry.index] ?? "";
    return text === "" ? [] : [{ type: "message", role: "agent", text }];
  });
}

/** Position from which on steps of the flow do not count. */
function findStepsEnd({ entries, segments }: OpenReply, heard: readonly string[]): number {
  const unheard = entries.findIndex(
    (entry) =>
      entry.type === "segment" &&
      heard[entry.index] === "" &&
      isSpeakable(speakableText(segments[entry.index] ?? "")),
  );
  const spokenEnd = unheard < 0 ? entries.length : heard.some((text) => text !== "") ? unheard : 0;
  const lastAction = entries.findLastIndex(({ type }) => type === "tool_call" || type === "tool_result");
  // The step after a result only notes it.
  return Math.max(spokenEnd, lastAction < 0 ? 0 : lastAction + 2);
}
