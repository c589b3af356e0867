import { type AgentVoice, type Recognizer, type TextToSpeech } from "@parley/conversation";
import {
  expectedFactor,
  type InferenceClient,
  LocalSpeechToText,
  LocalTextToSpeech,
  type SpeechFit,
  withSpeedRange,
} from "@parley/providers";
import {
  type RecognizerId,
  recognizerKind,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "@parley/providers/registry";
import { chooseVoices, type ChosenVoice, type VoiceChoice } from "../inference/local-voice.rules.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";

/**
 * Deadline for the text after the end of a pause. Longer than those of providers: local models share the machine's cores
 * with all other calls, and a repeated request would slow them further.
 */
const LOCAL_ANSWER_DEADLINE_MS = 10_000;

type Closers = (() => Promise<void>)[];

/** Returns the voice of an agent, then its fallbacks. */
export type VoicesFor = (agent: VoiceChoice) => readonly [AgentVoice, ...AgentVoice[]];

/** Returns the configured recognizer, then the one that replaces it after a failure. */
export async function loadRecognizers(
  configuration: ProviderConfiguration,
  inference: InferenceClient,
  fit: () => SpeechFit,
  closers: Closers,
): Promise<readonly [Recognizer, ...Recognizer[]]> {
  const { speechToText, localSpeech } = configuration;
  const local: Recognizer = {
    stt: new LocalSpeechToText({ inference, size: () => fit().recognizer }),
    answerDeadlineMs: LOCAL_ANSWER_DEADLINE_MS,
  };
  if (speechToText.provider === "local") return [local];
  const remote = await loadRecognizer(speechToText.provider, configuration, closers);
  return localSpeech.hasSpeechToText ? [remote, local] : [remote];
}

/** @param closers Receives what the caller must close. */
export async function loadRecognizer(
  id: RecognizerId,
  { providerAccess, speechToText }: Pick<ProviderConfiguration, "providerAccess" | "speechToText">,
  closers: Closers,
): Promise<Recognizer> {
  const { load, defaultModel, answerDeadlineMs } = recognizerKind(id);
  const chosen = speechToText.provider === id ? speechToText.model : undefined;
  const stt = (await load())(requireAccess(providerAccess, id), { model: chosen ?? defaultModel });
  closers.push(async () => await stt.close?.());
  return { stt, answerDeadlineMs };
}

/**
 * Loads the clients of the configured providers.
 *
 * @param closers Receives what the caller must close.
 */
export async function loadVoices(
  configuration: ProviderConfiguration,
  inference: InferenceClient,
  fit: () => SpeechFit,
  closers: Closers,
): Promise<VoicesFor> {
  const local = new LocalTextToSpeech({
    client: inference,
    expectedFactorOf: (voice) => expectedFactor(fit(), voice),
  });
  const remote = new Map<VoiceProviderId, TextToSpeech>();
  for (const id of voiceProviderIds)
    if (configuration.providerAccess[id] !== undefined)
      remote.set(id, await loadTextToSpeech(id, configuration, closers));
  const toVoice = ({ provider, name }: ChosenVoice): AgentVoice => {
    const tts = provider === "local" ? undefined : remote.get(provider);
    return provider === "local" || tts === undefined
      ? { tts: local, voice: name || fit().defaultVoice }
      : { tts, voice: name || voiceProviderKind(provider).defaultVoice };
  };
  return (choice) => {
    const [first, ...others] = chooseVoices(choice, configuration);
    const voices: [AgentVoice, ...AgentVoice[]] = [toVoice(first)];
    for (const voice of others.map(toVoice))
      if (!voices.some(({ tts, voice: name }) => tts === voice.tts && name === voice.voice))
        voices.push(voice);
    return voices;
  };
}

/** @param closers Receives what the caller must close. */
export async function loadTextToSpeech(
  id: VoiceProviderId,
  { providerAccess, textToSpeech }: Pick<ProviderConfiguration, "providerAccess" | "textToSpeech">,
  closers: Closers,
): Promise<TextToSpeech> {
  const { load, defaultModel, speedRange } = voiceProviderKind(id);
  const chosen = textToSpeech.provider === id ? textToSpeech.model : undefined;
  const model = chosen ?? defaultModel;
  const tts = (await load())(requireAccess(providerAccess, id), { model });
  closers.push(async () => await tts.close?.());
  return withSpeedRange(tts, speedRange(model));
}

function requireAccess<Id extends RecognizerId | VoiceProviderId>(
  providerAccess: ProviderConfiguration["providerAccess"],
  id: Id,
) {
  const access = providerAccess[id];
  if (access === undefined) throw new Error(`the provider ${id} is not configured`);
  return access;
}
