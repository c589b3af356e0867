import type { LanguageModelV4 } from "@ai-sdk/provider";

/**
 * What produces replies. The AI SDK's provider layer, so that every model it has an adapter for can be used;
 * Parley calls `doStream` alone and runs the tool loop itself (see `dialogue/`).
 */
export type LanguageModel = LanguageModelV4;
