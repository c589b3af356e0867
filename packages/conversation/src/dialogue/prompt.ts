import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { TranscriptEntry } from "../transcript.ts";

/** Tells the model to speak the instruction that follows it at once. */
export const SPEAK_NOW =
  "Say the following to the other side now, in your own words and in a sentence or two, without a greeting and without " +
  "saying who asked for it: ";

/** Guidance for a greeting in the model's own words. */
export function greetingGuidance(firstMessage: string): string {
  const example = firstMessage.trim() === "" ? "" : ` In the sense of: ${firstMessage.trim()}`;
  return `The call begins. Greet the other side in a sentence or two.${example}`;
}

/** The input with which a flow begins, after the first message. */
export function beginningOfFlow({
  firstMessage,
  firstMessageMode,
}: {
  firstMessage: string;
  firstMessageMode?: "static" | "generated";
}): { type: "begin"; firstMessage: string; guidance?: string } {
  if (firstMessageMode !== "generated") return { type: "begin", firstMessage: firstMessage.trim() };
  return { type: "begin", firstMessage: "", guidance: greetingGuidance(firstMessage) };
}

type ToolCallEntry = TranscriptEntry & { type: "tool_call" };

const STILL_AT_WORK =
  "The tool is still at work. Its answer will follow by itself: go on without it, and do not call it again for this.";

/**
 * Renders the conversation so far for the model. Consecutive entries of one speaker become one message. Models accept a
 * call only together with its result: a call whose result comes later, or never, gets a placeholder result, and the
 * later result gets a call of its own.
 */
export function renderPrompt(
  instructions: string,
  entries: readonly TranscriptEntry[],
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [{ role: "system", content: instructions }];
  const unanswered = new Map<string, ToolCallEntry>();
  const answered = new Map<string, ToolCallEntry>();
  const closeRound = (): void => {
    for (const [id, call] of unanswered) {
      answered.set(id, call);
      appendToolOutput(prompt, call, { type: "text", value: STILL_AT_WORK });
    }
    unanswered.clear();
  };
  for (const entry of entries) {
    if (entry.type === "system" || entry.type === "transfer" || entry.type === "flow") continue;
    if (entry.type === "tool_call") {
      if (prompt.at(-1)?.role === "tool") closeRound();
      unanswered.set(entry.toolCallId, entry);
      appendToolCall(prompt, entry);
    } else if (entry.type === "tool_result") {
      const output = { type: entry.isError ? ("error-text" as const) : ("text" as const), value: entry.text };
      if (unanswered.delete(entry.toolCallId)) appendToolOutput(prompt, entry, output);
      else {
        closeRound();
        const { toolName } = entry;
        const text = answered.get(entry.toolCallId)?.text ?? "{}";
        const call: ToolCallEntry = {
          type: "tool_call",
          toolCallId: `${entry.toolCallId}_later`,
          toolName,
          text,
        };
        appendToolCall(prompt, call);
        appendToolOutput(prompt, call, output);
      }
    } else {
      closeRound();
      append(prompt, entry);
    }
  }
  closeRound();
  return prompt;
}

function append(
  prompt: LanguageModelV4Prompt,
  entry: TranscriptEntry & { type: "message" | "dtmf" | "instruction" },
): void {
  switch (entry.type) {
    case "message":
      if (entry.role === "user") appendUserText(prompt, entry.text);
      else assistantContent(prompt).push({ type: "text", text: entry.text });
      return;
    case "dtmf":
      return appendUserText(prompt, `[pressed ${entry.text} on the keypad]`);
    case "instruction":
      prompt.push({ role: "system", content: entry.text });
  }
}

function appendToolCall(prompt: LanguageModelV4Prompt, { toolCallId, toolName, text }: ToolCallEntry): void {
  assistantContent(prompt).push({ type: "tool-call", toolCallId, toolName, input: parseInput(text) });
}

function appendToolOutput(
  prompt: LanguageModelV4Prompt,
  { toolCallId, toolName }: { toolCallId: string; toolName: string },
  output: { type: "text" | "error-text"; value: string },
): void {
  toolContent(prompt).push({ type: "tool-result", toolCallId, toolName, output });
}

function appendUserText(prompt: LanguageModelV4Prompt, text: string): void {
  const last = prompt.at(-1);
  if (last?.role === "user") last.content.push({ type: "text", text });
  else prompt.push({ role: "user", content: [{ type: "text", text }] });
}

type ContentOf<Role extends "assistant" | "tool"> = Extract<
  LanguageModelV4Message,
  { role: Role }
>["content"];

function assistantContent(prompt: LanguageModelV4Prompt): ContentOf<"assistant"> {
  const last = prompt.at(-1);
  if (last?.role === "assistant") return last.content;
  const content: ContentOf<"assistant"> = [];
  prompt.push({ role: "assistant", content });
  return content;
}

function toolContent(prompt: LanguageModelV4Prompt): ContentOf<"tool"> {
  const last = prompt.at(-1);
  if (last?.role === "tool") return last.content;
  const content: ContentOf<"tool"> = [];
  prompt.push({ role: "tool", content });
  return content;
}

/**
 * Parses tool input. Malformed input becomes `{}`, because providers reject a history whose tool input is not an
 * object.
 */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
