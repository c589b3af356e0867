import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Window of common models. */
const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Left for tool definitions and the answer. */
const RESERVED_SHARE = 0.25;
/** Fewer than in English, where a token has about four: other languages and digits take more tokens. */
const BYTES_PER_TOKEN = 3;
const TOKENS_PER_MESSAGE = 8;

/**
 * Removes the oldest turns of a prompt that is too long for the model's window. Keeps the instructions (the first message)
 * and everything from the last user message on. A turn begins with a user message, so a tool call keeps its result.
 */
export function trimToWindow(
  [instructions, ...messages]: LanguageModelV4Prompt,
  contextTokens = DEFAULT_CONTEXT_TOKENS,
): LanguageModelV4Prompt {
  if (instructions === undefined) return [];
  let left = contextTokens * (1 - RESERVED_SHARE) - tokensOf(instructions);
  let start: number | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    left -= tokensOf(message);
    if (left < 0 && start !== undefined) return [instructions, ...messages.slice(start)];
    if (message.role === "user") start = index;
  }
  return [instructions, ...messages];
}

function tokensOf(message: LanguageModelV4Message): number {
  return TOKENS_PER_MESSAGE + Buffer.byteLength(JSON.stringify(message.content)) / BYTES_PER_TOKEN;
}
