import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { TranscriptEntry } from "../transcript.ts";

/** Renders the conversation so far for the model. Neighbouring entries of one speaker become one message. */
export function renderPrompt(
  instructions: string,
  entries: readonly TranscriptEntry[],
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [{ role: "system", content: instructions }];
  for (const entry of entries) append(prompt, entry);
  return prompt;
}

function append(prompt: LanguageModelV4Prompt, entry: TranscriptEntry): void {
  switch (entry.type) {
    case "message":
      if (entry.role === "user") appendUserText(prompt, entry.text);
      else assistantContent(prompt).push({ type: "text", text: entry.text });
      return;
    case "dtmf":
      appendUserText(prompt, `[pressed ${entry.text} on the keypad]`);
      return;
    case "instruction":
      prompt.push({ role: "system", content: entry.text });
      return;
    case "tool_call": {
      const { toolCallId, toolName } = entry;
      assistantContent(prompt).push({
        type: "tool-call",
        toolCallId,
        toolName,
        input: parseInput(entry.text),
      });
      return;
    }
    case "tool_result": {
      const { toolCallId, toolName } = entry;
      const output = { type: entry.isError ? ("error-text" as const) : ("text" as const), value: entry.text };
      toolContent(prompt).push({ type: "tool-result", toolCallId, toolName, output });
      return;
    }
    case "system":
      return;
  }
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

/** Providers refuse a history whose tool input is not an object, so what the model wrote wrongly becomes `{}`. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
