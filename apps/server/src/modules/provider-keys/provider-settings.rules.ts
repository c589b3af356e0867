import { modelProviderIds, modelProviderKind, recognizerIds } from "@parley/providers/registry";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import type { ProviderAccessById } from "../../platform/config/provider-access.ts";

/**
 * The providers of an organization with keys of its own, which replace the operator's. Agents name voices and models. What
 * they do not name is the operator's choice, unless it is one that needs no key: the organization's own recognizer replaces
 * the local one, and its own language model the built-in responder.
 */
export function withOwnAccess(
  operator: ProviderConfiguration,
  own: ProviderAccessById,
): ProviderConfiguration {
  const recognizer = recognizerIds.find((id) => own[id] !== undefined);
  const speechToText =
    operator.speechToText.provider === "local" && recognizer !== undefined
      ? { provider: recognizer }
      : operator.speechToText;
  return {
    ...operator,
    providerAccess: { ...operator.providerAccess, ...own },
    speechToText,
    languageModel:
      operator.languageModel.provider === "builtin-responder"
        ? (findDefaultModel(own) ?? operator.languageModel)
        : operator.languageModel,
  };
}

function findDefaultModel(own: ProviderAccessById): ProviderConfiguration["languageModel"] | undefined {
  for (const provider of modelProviderIds) {
    const { defaultModel } = modelProviderKind(provider);
    if (own[provider] !== undefined && defaultModel !== undefined) return { provider, model: defaultModel };
  }
  return undefined;
}
