import { type AgentConfiguration, agentFields, defaultsOf, type Issue } from "@parley/contract";
import { keysOf } from "@parley/contract/keys";
import {
  type CallSetting,
  modelProviderKind,
  providerKind,
  voiceProviderKind,
} from "@parley/providers/registry";
import { findVoice } from "../../inference/local-voice.rules.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import { chooseLanguageModel } from "../../platform/config/choose-language-model.ts";

/** Fields of an agent whose effect depends on the provider of its voice or language model. */
export type ProviderSetting =
  | "voiceTemperature"
  | "voiceTopP"
  | "llmTemperature"
  | "llmReasoningEffort"
  | "runtimeConfig";

type Settings = Pick<AgentConfiguration, "voiceId" | "llmModel" | ProviderSetting>;

/** What a language model takes. */
interface ModelAbilities {
  name: string;
  maxTemperature: number | undefined;
  canReason: boolean;
  callSettings: readonly CallSetting[];
  /** What to do about the lack of them. */
  advice?: string;
}

const defaults = defaultsOf(agentFields);
const FILE_SETTINGS: readonly CallSetting[] = ["maxOutputTokens", "topP", "topK", "seed", "stopSequences"];

/**
 * Settings that the provider of the agent's voice or language model does not have, if they or the provider change. Those that it
 * has to do without are `voiceSpeed` and `voiceVolume`, which are applied to the audio of every voice, and `sttKeyterms`, which every
 * recognizer takes.
 *
 * @param choice With the voice that speaks in place of one that the organization created.
 */
export function findSettingProblems(
  configuration: ProviderConfiguration,
  choice: Settings,
  before: Settings,
): Issue[] {
  const changes = (field: keyof Settings): boolean => choice[field] !== before[field];
  const issues = [
    ...(changes("voiceId") || changes("voiceTemperature") || changes("voiceTopP")
      ? findVoiceSettingProblems(configuration, choice)
      : []),
    ...findModelSettingProblems(configuration, choice),
  ];
  if (changes("llmModel")) return issues;
  const isStored = ({ path }: Issue): boolean => {
    const [field] = path.split(".");
    return field === "runtimeConfig"
      ? JSON.stringify(choice.runtimeConfig) === JSON.stringify(before.runtimeConfig)
      : (field === "llmTemperature" || field === "llmReasoningEffort") && !changes(field);
  };
  return issues.filter((issue) => !isStored(issue));
}

function findVoiceSettingProblems(
  configuration: ProviderConfiguration,
  { voiceId, voiceTemperature, voiceTopP }: Settings,
): Issue[] {
  const { provider } = findVoice(voiceId ?? "", configuration);
  const name = provider === "local" ? "this server" : providerKind(provider).displayName;
  const hasTemperature = provider !== "local" && voiceProviderKind(provider).hasTemperature === true;
  const refuse = (path: "voiceTemperature" | "voiceTopP"): Issue => ({
    path,
    message: `must be ${defaults[path]}: the voices of ${name} do not have this setting`,
  });
  return [
    ...(hasTemperature || voiceTemperature === defaults.voiceTemperature ? [] : [refuse("voiceTemperature")]),
    ...(voiceTopP === defaults.voiceTopP ? [] : [refuse("voiceTopP")]),
  ];
}

function findModelSettingProblems(
  configuration: ProviderConfiguration,
  { llmModel, llmTemperature, llmReasoningEffort, runtimeConfig }: Settings,
): Issue[] {
  const model = findAbilities(configuration, llmModel);
  const { name, maxTemperature, canReason, callSettings, advice = "" } = model;
  const issues: Issue[] = [];
  if (maxTemperature === undefined && llmTemperature !== defaults.llmTemperature)
    issues.push({
      path: "llmTemperature",
      message: `must be ${defaults.llmTemperature}: ${name} takes no temperature`,
    });
  if (maxTemperature !== undefined && llmTemperature > maxTemperature)
    issues.push({ path: "llmTemperature", message: `must be at most ${maxTemperature} with ${name}` });
  if (!canReason && llmReasoningEffort !== "none")
    issues.push({ path: "llmReasoningEffort", message: `must be none: ${name} takes no reasoning effort` });
  for (const setting of keysOf(runtimeConfig))
    if (!callSettings.includes(setting))
      issues.push({ path: `runtimeConfig.${setting}`, message: `is not supported by ${name}: remove it` });
  return issues.map(({ path, message }) => ({ path, message: message + advice }));
}

function findAbilities(configuration: ProviderConfiguration, llmModel: string): ModelAbilities {
  const chosen = chooseLanguageModel(configuration, llmModel);
  if (chosen.provider === "builtin-responder")
    return {
      name: "the built-in responder",
      maxTemperature: undefined,
      canReason: false,
      callSettings: [],
      advice: ". No language model is configured: GET /models says how to get one",
    };
  if (chosen.provider === "gguf")
    return { name: "the model file", maxTemperature: 2, canReason: false, callSettings: FILE_SETTINGS };
  const kind = modelProviderKind(chosen.provider);
  return {
    name: `${providerKind(chosen.provider).displayName} with ${chosen.model}`,
    maxTemperature: kind.maxTemperature(chosen.model),
    canReason: kind.canReason(chosen.model),
    callSettings: kind.callSettings,
  };
}
