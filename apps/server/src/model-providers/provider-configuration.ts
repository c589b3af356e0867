import type { Config } from "../platform/config/config.ts";

/** The operator's providers, as configured by the environment. */
export type ProviderConfiguration = Pick<
  Config,
  "speechToText" | "textToSpeech" | "languageModel" | "localSpeech"
>;
