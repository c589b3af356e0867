import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The answer of a language model that consists of these parts. */
export function writtenReply(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4StreamResult {
  const unified = parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  const finish = { type: "finish", usage: NO_USAGE, finishReason: { unified, raw: undefined } } as const;
  return { stream: ReadableStream.from([...parts, finish]) };
}
