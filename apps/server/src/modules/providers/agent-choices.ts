import type { AgentConfiguration, Issue, Voice } from "@parley/contract";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import { findSettingProblems, type ProviderSetting } from "./provider-settings.rules.ts";
import { baseLanguage, listHeardLanguages } from "./languages.rules.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import type { OfferedVoices } from "./offered-voices.ts";

/** Fields of an agent that name what the providers offer. */
export type AgentChoice = Pick<
  AgentConfiguration,
  "voiceId" | "fallbackVoiceId" | "language" | "llmModel" | ProviderSetting
>;

/** Checks language models of an organization. */
export interface ModelChoices {
  findModelProblems: (organizationId: string, path: string, llmModel: string) => Promise<Issue[]>;
}

/** Names that an error lists. */
const MAX_NAMED = 10;

interface AgentChoicesDependencies {
  config: ProviderConfiguration;
  voices: OfferedVoices;
  models: ModelCatalog;
}

/** Checks that agents can be heard and can speak, before they are saved. May wait for a vendor. */
export class AgentChoices {
  readonly #dependencies: AgentChoicesDependencies;

  constructor(dependencies: AgentChoicesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Problems of the fields that change. What is stored and stays does not block other changes. */
  async findProblems(organizationId: string, choice: AgentChoice, before: AgentChoice): Promise<Issue[]> {
    const issues = [
      ...this.#findLanguageProblems(choice, before),
      ...(choice.llmModel === before.llmModel
        ? []
        : await this.findModelProblems("llmModel", choice.llmModel)),
    ];
    for (const field of ["voiceId", "fallbackVoiceId"] as const)
      issues.push(...(await this.#findVoiceProblems(organizationId, field, { choice, before })));
    const spoken = await Promise.all([
      this.#withSpokenVoice(organizationId, choice),
      this.#withSpokenVoice(organizationId, before),
    ]);
    return [...issues, ...findSettingProblems(this.#dependencies.config, ...spoken)];
  }

  /** Replaces a voice that the organization created by the one that speaks: its provider decides which settings there are. */
  async #withSpokenVoice(organizationId: string, choice: AgentChoice): Promise<AgentChoice> {
    if (choice.voiceId === null) return choice;
    const spoken = await this.#dependencies.voices.findSpoken(organizationId, choice.voiceId);
    return { ...choice, voiceId: spoken === "" ? null : spoken };
  }

  #findLanguageProblems({ language }: AgentChoice, before: AgentChoice): Issue[] {
    const heard = listHeardLanguages(this.#dependencies.config);
    if (language === before.language || heard.includes(baseLanguage(language))) return [];
    const { provider } = this.#dependencies.config.speechToText;
    const message = `is not understood by the configured speech recognition (${provider}), which understands ${list(heard, "GET /languages")}`;
    return [{ path: "language", message }];
  }

  /** The problem of a language model that is not configured, at the field that names it. */
  async findModelProblems(path: string, llmModel: string): Promise<Issue[]> {
    const { models } = this.#dependencies;
    if (await models.isKnown(llmModel)) return [];
    const ids = (await models.list()).map(({ id }) => id);
    return [{ path, message: `is not configured: choose one of ${list(ids, "GET /models")}` }];
  }

  async #findVoiceProblems(
    organizationId: string,
    field: "voiceId" | "fallbackVoiceId",
    { choice, before }: { choice: AgentChoice; before: AgentChoice },
  ): Promise<Issue[]> {
    const { voices } = this.#dependencies;
    const { [field]: id, language } = choice;
    const isLanguageChanged = language !== before.language;
    const isVoiceChanged = id !== before[field];
    if (!isLanguageChanged && !isVoiceChanged) return [];
    // Without a fallback there is nothing to speak the language.
    if (id === null && field === "fallbackVoiceId") return [];
    const voice = id === null ? await voices.findDefault() : await voices.find(organizationId, id);
    const choices = async (): Promise<string> =>
      this.#listChoices(await voices.list(organizationId, { language }));
    if (voice === undefined) {
      // A stored voice that is gone is replaced in calls.
      if (!isVoiceChanged || id === null) return [];
      return [{ path: field, message: `is no voice of this server: choose one of ${await choices()}` }];
    }
    if (isVoiceChanged && voice.status !== "ready")
      return [
        { path: field, message: `cannot speak: its status is ${voice.status}. Choose one that is ready` },
      ];
    if (voice.languages.includes(baseLanguage(language))) return [];
    const speaks = `the voice ${voice.id} speaks only ${voice.languages.join(", ")}`;
    return [
      isVoiceChanged && id !== null
        ? { path: field, message: `must speak ${language}: ${speaks}; choose one of ${await choices()}` }
        : {
            path: "language",
            message: `is not spoken by the agent's voice: ${speaks}; choose a voice with ${field} as well: ${await choices()}`,
          },
    ];
  }

  #listChoices(voices: readonly Voice[]): string {
    const ids = voices.filter(({ status }) => status === "ready").map(({ id }) => id);
    return ids.length === 0
      ? "the voices of another provider (none of the configured ones speaks it)"
      : list(ids, "GET /voices");
  }
}

function list(names: readonly string[], route: string): string {
  const named = names.slice(0, MAX_NAMED).join(", ");
  const others = names.length - MAX_NAMED;
  return others > 0 ? `${named} and ${others} others (${route})` : named;
}
