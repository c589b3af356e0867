import type { Recognizer } from "@parley/conversation";
import type { InferenceClient, SpeechFit } from "@parley/providers";
import { chooseLanguageModel } from "../platform/config/choose-language-model.ts";
import { type LanguageModelChain, loadLanguageModels } from "./language-models.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { loadRecognizers, loadVoices, type VoicesFor } from "./speech-providers.ts";

/** Recognizers, language models and voices with the same keys, shared by the calls that use them. */
export interface ProviderSet {
  /** The model named by an agent's `llmModel`, or the default one if it is unavailable; then those that replace it. */
  languageModelsFor: (llmModel: string) => LanguageModelChain;
  /** Whether that model understands questions; the built-in responder only finds answers. */
  hasLanguageModel: (llmModel: string) => boolean;
  /** The recognizer, then the one that replaces it. */
  recognizers: readonly [Recognizer, ...Recognizer[]];
  /**
   * Voices for an agent with this `voiceId` (empty: the operator's default): the agent's own voice first, then its
   * fallbacks. The local voices speak English.
   */
  voicesFor: VoicesFor;
  /** Idempotent. */
  close: () => Promise<void>;
}

export async function loadProviderSet(
  configuration: ProviderConfiguration,
  inference: InferenceClient,
  fit: () => SpeechFit,
): Promise<ProviderSet> {
  const closers: (() => Promise<void>)[] = [];
  return {
    languageModelsFor: await loadLanguageModels(configuration, inference, closers),
    hasLanguageModel: (llmModel) =>
      chooseLanguageModel(configuration, llmModel).provider !== "builtin-responder",
    recognizers: await loadRecognizers(configuration, inference, fit, closers),
    voicesFor: await loadVoices(configuration, inference, fit, closers),
    close: async () => {
      await Promise.all(closers.splice(0).map((close) => close()));
    },
  };
}
