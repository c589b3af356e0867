import {
  type ProviderAccess,
  providerKind,
  splitId,
  type VoiceCloning,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "@parley/providers/registry";
import type { Config } from "../../platform/config/config.ts";

type Settings = Pick<Config, "textToSpeech" | "providerAccess">;

/** A configured provider that clones voices. */
export interface CloningProvider {
  id: VoiceProviderId;
  access: ProviderAccess;
  cloning: VoiceCloning;
}

/** Finds the provider of the operator's voices, else the first other one, if it clones; `undefined` if none does. */
export function findCloningProvider({ textToSpeech, providerAccess }: Settings): CloningProvider | undefined {
  const ids = voiceProviderIds.toSorted(
    (a, b) => Number(b === textToSpeech.provider) - Number(a === textToSpeech.provider),
  );
  for (const id of ids) {
    const access = providerAccess[id];
    const cloning = providerKind(id).textToSpeech?.cloning;
    if (access !== undefined && cloning !== undefined) return { id, access, cloning };
  }
  return undefined;
}

/** Access to a provider by its id, if it is still configured and clones. */
export function findCloningProviderById(
  { providerAccess }: Pick<Settings, "providerAccess">,
  id: string,
): CloningProvider | undefined {
  const known = voiceProviderIds.find((each) => each === id);
  const access = known && providerAccess[known];
  const cloning = known && providerKind(known).textToSpeech?.cloning;
  return known && access && cloning && { id: known, access, cloning };
}

/** Languages that the voices of a provider speak, without regions. */
export function listLanguagesOf(provider: string): readonly string[] {
  const id = voiceProviderIds.find((each) => each === provider);
  return id === undefined ? [] : voiceProviderKind(id).languages;
}

/** Whether this server can speak with a voice, as far as the configuration shows. */
export function canSpeakWith(
  { providerAccess, localSpeech }: Pick<Config, "providerAccess" | "localSpeech">,
  voiceId: string,
): boolean {
  const named = splitId(voiceProviderIds, voiceId);
  return named === undefined ? localSpeech.hasTextToSpeech : providerAccess[named.provider] !== undefined;
}
