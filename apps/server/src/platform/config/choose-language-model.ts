import type { LanguageModelConfig } from "./language-model.ts";

/**
 * The model that an agent's `llmModel` (`provider/model`) names, of a provider that is configured; else the operator's,
 * which `service-standard` stands for.
 */
export function chooseLanguageModel(standard: LanguageModelConfig, llmModel: string): LanguageModelConfig {
  const [provider, ...rest] = llmModel.split("/");
  const model = rest.join("/");
  if (standard.provider !== "openai-compatible" || provider !== standard.provider || model === "") {
    return standard;
  }
  return { ...standard, model };
}
