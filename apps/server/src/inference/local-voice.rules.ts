import { FAST_LOCAL_VOICE } from "@parley/providers/fit";
import type { Config } from "../platform/config/config.ts";

type Provider = Config["textToSpeech"]["provider"];

/** An agent's fields that decide which voices speak. */
export interface VoiceChoice {
  /** Empty: the operator's default. */
  voiceId: string;
  fallbackVoiceId: string | undefined;
  /** BCP 47 tag. */
  language: string;
}

export interface ChosenVoice {
  isLocal: boolean;
  /** Empty: the default of the local voices, or of the vendor. */
  voiceId: string;
}

/**
 * Local voice of an agent with this voice id (empty: the operator's default); `undefined` if its voice is a vendor's,
 * whose ids begin with the vendor's name.
 */
export function findLocalVoice(
  voiceId: string,
  provider: Provider,
  defaultVoice: string,
): string | undefined {
  if (provider !== "local" && (voiceId === "" || voiceId.startsWith(`${provider}/`))) return undefined;
  return voiceId === "" ? defaultVoice : voiceId;
}

/**
 * The voice of an agent, then its fallbacks: the one that it names, or a local one in English, and the default voice of a
 * vendor whose voice may be gone.
 */
export function chooseVoices(
  { voiceId, fallbackVoiceId, language }: VoiceChoice,
  provider: Provider,
  hasLocalVoices: boolean,
): [ChosenVoice, ...ChosenVoice[]] {
  const toChosen = (id: string): ChosenVoice => ({
    isLocal: findLocalVoice(id, provider, "") !== undefined,
    voiceId: id,
  });
  const voice = toChosen(voiceId);
  // The vendor may have deleted the voice.
  const vendorDefault = voice.isLocal || voiceId === "" ? [] : [toChosen("")];
  if (fallbackVoiceId !== undefined) return [voice, toChosen(fallbackVoiceId), ...vendorDefault];
  if (!hasLocalVoices || !/^en(-|$)/i.test(language)) return [voice, ...vendorDefault];
  if (!voice.isLocal) return [voice, { isLocal: true, voiceId: "" }];
  // A voice named by the agent is kept.
  return voiceId === "" ? [voice, { isLocal: true, voiceId: FAST_LOCAL_VOICE }] : [voice];
}

/**
 * Ids of the local voices that agents with these choices use (empty: the default). Without any agent, those of an agent
 * that names none, because the first agent probably will be one.
 */
export function listLocalVoices(
  choices: readonly VoiceChoice[],
  provider: Provider,
  hasLocalVoices: boolean,
): string[] {
  const all: readonly VoiceChoice[] =
    choices.length > 0 ? choices : [{ voiceId: "", fallbackVoiceId: undefined, language: "en" }];
  const voices = all.flatMap((choice) => chooseVoices(choice, provider, hasLocalVoices));
  return [...new Set(voices.filter(({ isLocal }) => isLocal).map(({ voiceId }) => voiceId))];
}
