import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { LanguageModel } from "../providers/language-model.ts";
import { KEYPAD_TOOL_NAME } from "./keypad-tool.ts";
import { END_CALL_TOOL_NAME } from "./tool.ts";
import { writtenReply } from "./written-reply.ts";

/** What a tester does in one of its turns. */
export type TesterLine = { type: "say"; text: string } | { type: "press"; keys: string };

export interface TesterModelOptions {
  /** The tester's lines, in order. `undefined`: `model` plays the tester. */
  lines?: readonly TesterLine[] | undefined;
  model: LanguageModel;
  /** Number of turns after which the tester hangs up. */
  maxTurns: number;
  /** Number of turns after which the tester says nothing, and does not hang up either. Default: never. */
  silentAfterTurns?: number | undefined;
  /** What the agent says while it looks for an answer, for which the tester waits. Default: nothing. */
  fillers?: readonly string[];
}

/**
 * Creates the language model of a tester, who calls an agent to try it. The number of its past turns is read from the
 * history, so that a reply that was prepared and dropped, or of which nothing was heard, does not count.
 */
export function createTesterModel({
  lines,
  model,
  maxTurns,
  silentAfterTurns = Infinity,
  fillers = [],
}: TesterModelOptions): LanguageModel {
  const last = lines === undefined ? maxTurns : Math.min(lines.length, maxTurns);
  const doStream: LanguageModel["doStream"] = async (call) => {
    // The line of this turn was to press keys, which is done.
    if (lines !== undefined && call.prompt.at(-1)?.role === "tool") return writtenReply([]);
    if (hasOnlyFiller(call.prompt, fillers)) return writtenReply([]);
    const turns = countTurns(call.prompt);
    if (turns >= silentAfterTurns) return writtenReply([]);
    if (turns >= last) return writtenReply([toolCall(call, END_CALL_TOOL_NAME, {})]);
    const line = lines?.[turns];
    if (line === undefined) return await model.doStream(call);
    if (line.type === "press") return writtenReply([toolCall(call, KEYPAD_TOOL_NAME, { keys: line.keys })]);
    return writtenReply([{ type: "text-delta", id: "line", delta: line.text }]);
  };
  return {
    specificationVersion: "v4",
    provider: lines === undefined ? model.provider : "parley",
    modelId: lines === undefined ? model.modelId : "tester",
    supportedUrls: {},
    contextTokens: model.contextTokens,
    prepare: (instructions) => {
      if (lines === undefined) model.prepare?.(instructions);
    },
    onAnswer: () => {
      if (lines === undefined) model.onAnswer?.();
    },
    doStream,
    doGenerate: async (call) => await model.doGenerate(call),
  };
}

/** Counts what the tester has said, and its presses of keys. */
function countTurns(prompt: readonly LanguageModelV4Message[]): number {
  return prompt
    .flatMap(({ role, content }) => (role === "assistant" ? content : []))
    .filter(({ type }) => type === "text" || type === "tool-call").length;
}

/** Whether the agent has said nothing but a filler, or at least the first half of one, since the tester's last turn. */
function hasOnlyFiller(prompt: readonly LanguageModelV4Message[], fillers: readonly string[]): boolean {
  const since = prompt.slice(prompt.findLastIndex(({ role }) => role !== "user") + 1);
  const parts = since.flatMap(({ role, content }) => (role === "user" ? content : []));
  const heard = toLetters(parts.map((part) => (part.type === "text" ? part.text : "")).join(" "));
  if (heard === "") return false;
  return fillers.map(toLetters).some((each) => each.startsWith(heard) && 2 * heard.length >= each.length);
}

/** The recognizer chooses punctuation and spaces by itself. */
function toLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

function toolCall(
  { prompt }: LanguageModelV4CallOptions,
  toolName: string,
  input: object,
): LanguageModelV4StreamPart {
  return {
    type: "tool-call",
    toolCallId: `${toolName}-${prompt.length}`,
    toolName,
    input: JSON.stringify(input),
  };
}
