import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";

/** Window of common models. */
const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Left for the answer. */
const RESERVED_SHARE = 0.25;
/** Fewer than in English, where a token has about four: other languages and digits take more tokens. */
const BYTES_PER_TOKEN = 3;
const TOKENS_PER_MESSAGE = 8;
/**
 * Share of the room for turns that is freed at once. The prompts of the following turns then begin alike, so that a model
 * does not evaluate each of them as a whole.
 */
const FREED_SHARE = 0.25;

export interface ContextWindow {
  /** Tokens of prompt and reply together. Default: 128,000. */
  contextTokens?: number | undefined;
  /** Definitions that the model gets with the prompt. */
  tools?: LanguageModelV4CallOptions["tools"];
}

/**
 * Removes the oldest turns of a prompt that is too long for the model's window. Keeps the instructions (the first message)
 * and everything from the last user message on. A turn begins with a user message, so a tool call keeps its result.
 */
export function trimToWindow(
  [instructions, ...messages]: LanguageModelV4Prompt,
  { contextTokens = DEFAULT_CONTEXT_TOKENS, tools = [] }: ContextWindow,
): LanguageModelV4Prompt {
  if (instructions === undefined) return [];
  const tokens = messages.map((message) => tokensOf(message.content));
  const fixed = tokensOf(instructions.content) + tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
  const room = Math.max(1, contextTokens * (1 - RESERVED_SHARE) - fixed);
  const excess = tokens.reduce((sum, each) => sum + each, 0) - room;
  if (excess <= 0) return [instructions, ...messages];
  const step = room * FREED_SHARE;
  const start = findStart(messages, tokens, Math.ceil(excess / step) * step);
  return [instructions, ...messages.slice(start)];
}

/** Returns the index of the first user message behind this many tokens, else that of the last one, else 0. */
function findStart(
  messages: readonly LanguageModelV4Message[],
  tokens: readonly number[],
  tokensToRemove: number,
): number {
  let removed = 0;
  let start = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      start = index;
      if (removed >= tokensToRemove) return start;
    }
    removed += tokens[index] ?? 0;
  }
  return start;
}

function tokensOf(content: unknown): number {
  return TOKENS_PER_MESSAGE + Buffer.byteLength(JSON.stringify(content)) / BYTES_PER_TOKEN;
}
