import type { LanguageModelConfig } from "./language-model.ts";

/**
 * Returns the model that an agent's `llmModel` (`provider/model`) names if its provider is configured, otherwise the
 * operator's model (`service-standard`).
 */
export function chooseLanguageModel(standard: LanguageModelConfig, llmModel: string): LanguageModelConfig {
  const [provider, ...rest] = llmModel.split("/");
  const model = rest.join("/");
  if (standard.provider !== "openai-compatible" || provider !== standard.provider || model === "") {
    return standard;
  }
  return { ...standard, model };
}
