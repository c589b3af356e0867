import { modelProviderIds, splitId } from "@parley/providers/registry";
import type { LanguageModelConfig, RemoteModelConfig } from "./language-model.ts";
import type { ProviderAccessById } from "./provider-access.ts";

/** `llmModel` of agents that use the operator's model. */
export const STANDARD_MODEL = "service-standard";

export interface ModelSettings {
  languageModel: LanguageModelConfig;
  /** Replaces a model that fails. */
  languageModelFallback?: RemoteModelConfig | undefined;
  providerAccess: ProviderAccessById;
}

/**
 * Returns the model that an agent's `llmModel` (`provider/model`) names if its provider is configured, otherwise the
 * operator's model (`service-standard`).
 */
export function chooseLanguageModel(
  { languageModel: standard, providerAccess }: ModelSettings,
  llmModel: string,
): LanguageModelConfig {
  const named = splitId(modelProviderIds, llmModel);
  if (named === undefined || providerAccess[named.provider] === undefined) return standard;
  const windows = standard.provider === "builtin-responder" ? undefined : standard.contextWindows;
  return {
    provider: named.provider,
    model: named.name,
    ...(windows !== undefined && { contextWindows: windows }),
  };
}
