import path from "node:path";
import { chooseLanguageModel } from "../../platform/config/choose-language-model.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ProviderNames } from "./active-call.ts";

/**
 * Returns the provider names as stored on the call record.
 *
 * @param recognizer Size of the local recognizer.
 */
export function providerNamesOf(config: Config, llmModel: string, recognizer = "base"): ProviderNames {
  const { speechToText, textToSpeech } = config;
  const languageModel = chooseLanguageModel(config.languageModel, llmModel);
  const llmNames = {
    "openai-compatible": () => (languageModel.provider === "openai-compatible" ? languageModel.model : ""),
    gguf: () => (languageModel.provider === "gguf" ? `local/${path.basename(languageModel.path)}` : ""),
    "builtin-responder": () => "parley/builtin-responder",
  };
  return {
    llmName: llmNames[languageModel.provider](),
    sttName: speechToText.provider === "local" ? `local/moonshine-${recognizer}` : speechToText.provider,
    ttsName: textToSpeech.provider === "local" ? "local" : textToSpeech.provider,
  };
}
