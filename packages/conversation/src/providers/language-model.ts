import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ProviderError } from "./provider-error.ts";

/**
 * A language model in the interface of the AI SDK's provider layer, so that each of its adapters can be used. Parley
 * calls only `doStream` and runs the tool loop itself (see `dialogue/`).
 */
export type LanguageModel = LanguageModelV4 & {
  /** Context window: tokens of prompt and reply together. Default: 128,000. */
  readonly contextTokens?: number | undefined;
  /**
   * Loads what the first reply of a conversation with these instructions needs, before its first input. Returns at once and
   * reports nothing: a reply that needs what could not be loaded loads it again.
   */
  prepare?: (instructions: string) => void;
  /** `false` for a model that neither reads values nor judges. Default: it can. */
  readonly canJudge?: boolean;
  /** Receives that an answer to a request has begun. */
  onAnswer?: () => void;
  /** Receives why a request has failed. A request that its owner aborts has not. */
  onFailure?: (error: ProviderError) => void;
};
