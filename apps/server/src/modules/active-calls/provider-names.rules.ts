import path from "node:path";
import { chooseLanguageModel } from "../../platform/config/choose-language-model.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ProviderNames } from "./active-call.ts";

/**
 * Returns the provider names as stored on the call record.
 *
 * @param recognizer Size of the local recognizer.
 */
export function providerNamesOf(
  config: ProviderConfiguration,
  llmModel: string,
  recognizer = "base",
): ProviderNames {
  const { speechToText, textToSpeech } = config;
  return {
    llmName: nameOfModel(chooseLanguageModel(config, llmModel)),
    sttName: speechToText.provider === "local" ? `local/moonshine-${recognizer}` : speechToText.provider,
    ttsName: textToSpeech.provider === "local" ? "local" : textToSpeech.provider,
  };
}

function nameOfModel(model: Config["languageModel"]): string {
  if (model.provider === "gguf") return `local/${path.basename(model.path)}`;
  return model.provider === "builtin-responder" ? "parley/builtin-responder" : model.model;
}
