import { FAST_LOCAL_VOICE } from "@parley/providers/fit";
import { splitId, voiceProviderIds, type VoiceProviderId } from "@parley/providers/registry";
import type { Config } from "../platform/config/config.ts";

/** Configuration that decides whose voices speak. */
export type VoiceSettings = Pick<Config, "textToSpeech" | "providerAccess" | "localSpeech">;

/** An agent's fields that decide which voices speak. */
export interface VoiceChoice {
  /** Empty: the operator's default. */
  voiceId: string;
  fallbackVoiceId: string | undefined;
  /** BCP 47 tag. */
  language: string;
}

export interface ChosenVoice {
  provider: VoiceProviderId | "local";
  /** At a provider its name there, otherwise the id of a local voice. Empty: the default one. */
  name: string;
}

/** Finds the voice with this id (empty: the operator's default). Ids of a configured provider begin with its name. */
export function findVoice(
  voiceId: string,
  { textToSpeech, providerAccess }: Pick<VoiceSettings, "textToSpeech" | "providerAccess">,
): ChosenVoice {
  if (voiceId === "") return { provider: textToSpeech.provider, name: "" };
  const named = splitId(voiceProviderIds, voiceId);
  if (named !== undefined && providerAccess[named.provider] !== undefined) return named;
  return { provider: "local", name: voiceId };
}

/**
 * The voice of an agent, then its fallbacks: the one that it names, or a local one in English, and the default voice of a
 * provider whose voice may be gone.
 */
export function chooseVoices(
  { voiceId, fallbackVoiceId, language }: VoiceChoice,
  settings: VoiceSettings,
): [ChosenVoice, ...ChosenVoice[]] {
  const voice = findVoice(voiceId, settings);
  const isLocal = voice.provider === "local";
  // The provider may have deleted the voice.
  const providerDefault = isLocal || voice.name === "" ? [] : [{ ...voice, name: "" }];
  if (fallbackVoiceId !== undefined) return [voice, findVoice(fallbackVoiceId, settings), ...providerDefault];
  if (!settings.localSpeech.hasTextToSpeech || !/^en(-|$)/i.test(language))
    return [voice, ...providerDefault];
  if (!isLocal) return [voice, { provider: "local", name: "" }];
  // A voice named by the agent is kept.
  return voice.name === "" ? [voice, { provider: "local", name: FAST_LOCAL_VOICE }] : [voice];
}

/**
 * Ids of the local voices that agents with these choices use (empty: the default). Without any agent, those of an agent
 * that names none, because the first agent probably will be one.
 */
export function listLocalVoices(choices: readonly VoiceChoice[], settings: VoiceSettings): string[] {
  const all: readonly VoiceChoice[] =
    choices.length > 0 ? choices : [{ voiceId: "", fallbackVoiceId: undefined, language: "en" }];
  const voices = all.flatMap((choice) => chooseVoices(choice, settings));
  return [...new Set(voices.filter(({ provider }) => provider === "local").map(({ name }) => name))];
}
