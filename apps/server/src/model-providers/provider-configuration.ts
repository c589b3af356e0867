import type { Config } from "../platform/config/config.ts";

/** Configuration of the operator's providers, from the environment. */
export type ProviderConfiguration = Pick<
  Config,
  | "providerAccess"
  | "speechToText"
  | "textToSpeech"
  | "languageModel"
  | "languageModelFallback"
  | "localSpeech"
>;
