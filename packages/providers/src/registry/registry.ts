import { anthropic } from "../anthropic/provider.ts";
import { cartesia } from "../cartesia/provider.ts";
import { deepgram } from "../deepgram/provider.ts";
import { elevenLabs } from "../elevenlabs/provider.ts";
import { google } from "../google/provider.ts";
import { ollama } from "../ollama/provider.ts";
import { openAiCompatible, openAiSpeech } from "../openai-compatible/provider.ts";
import type { LanguageModelKind, ProviderKind, SpeechToTextKind, TextToSpeechKind } from "./provider-kind.ts";

/**
 * All providers by id, which is the first part of the ids of their voices and models. A new provider is a folder and one
 * line here: variables, lists of voices and models, checks and conversations read this table.
 */
const providerKinds = {
  cartesia,
  deepgram,
  elevenlabs: elevenLabs,
  openai: openAiSpeech,
  "openai-compatible": openAiCompatible,
  anthropic,
  google,
  ollama,
} as const satisfies Readonly<Record<string, ProviderKind>>;

type Kinds = typeof providerKinds;

export type ProviderId = keyof Kinds;
/** Providers with this service. */
type IdWith<Service> = { [Id in ProviderId]: Kinds[Id] extends Service ? Id : never }[ProviderId];
export type RecognizerId = IdWith<{ speechToText: object }>;
export type VoiceProviderId = IdWith<{ textToSpeech: object }>;
export type ModelProviderId = IdWith<{ languageModel: object }>;

/** Variables of all providers. */
export type ProviderVariable = { [Id in ProviderId]: keyof Kinds[Id]["variables"] }[ProviderId];

const ids = Object.keys(providerKinds) as ProviderId[];

/** The providers of one service, by id. */
function having<Id extends ProviderId>(service: keyof ProviderKind): readonly Id[] {
  return ids.filter((id): id is Id => service in providerKinds[id]);
}

export const providerIds: readonly ProviderId[] = ids;
export const recognizerIds = having<RecognizerId>("speechToText");
export const voiceProviderIds = having<VoiceProviderId>("textToSpeech");
export const modelProviderIds = having<ModelProviderId>("languageModel");

/** Description of a provider, in the form that all have. */
export function providerKind(id: ProviderId): ProviderKind {
  return providerKinds[id];
}

export const recognizerKind = (id: RecognizerId): SpeechToTextKind => providerKinds[id].speechToText;
export const voiceProviderKind = (id: VoiceProviderId): TextToSpeechKind => providerKinds[id].textToSpeech;
export const modelProviderKind = (id: ModelProviderId): LanguageModelKind => providerKinds[id].languageModel;

/** Provider of a voice's or a model's id (`provider/name`), if it is among `ids`, and the name there. */
export function splitId<Id extends ProviderId>(
  ids: readonly Id[],
  id: string,
): { provider: Id; name: string } | undefined {
  const provider = ids.find((each) => id.startsWith(`${each}/`));
  const name = provider === undefined ? "" : id.slice(provider.length + 1);
  return provider === undefined || name === "" ? undefined : { provider, name };
}
