import {
  type AgentVoice,
  createFailoverSpeechToText,
  type Recognizer,
  type SpeechToText,
  type TextToSpeech,
} from "@parley/conversation";
import {
  createDeepgramSpeechToText,
  createElevenLabsTextToSpeech,
  createOpenAiSpeechToText,
  createOpenAiTextToSpeech,
  expectedFactor,
  type InferenceClient,
  LocalSpeechToText,
  LocalTextToSpeech,
  type SpeechFit,
} from "@parley/providers";
import { chooseVoices, type ChosenVoice, type VoiceChoice } from "../inference/local-voice.rules.ts";
import { DEFAULT_VENDOR_VOICES } from "./default-voices.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";

/** Deadline for the text after the end of a pause; after it the recognizer counts as failed. */
const STREAMING_ANSWER_DEADLINE_MS = 900;
/** Longer, because a request carries the whole utterance. */
const REQUEST_ANSWER_DEADLINE_MS = 2_000;
/**
 * Longer still: local models share the machine's cores with all other calls, and a repeated request would slow them
 * further.
 */
const LOCAL_ANSWER_DEADLINE_MS = 10_000;

/** Returns the voice of an agent, then its fallbacks. */
export type VoicesFor = (agent: VoiceChoice) => readonly [AgentVoice, ...AgentVoice[]];

export function createSpeechToText(
  { speechToText, localSpeech }: ProviderConfiguration,
  inference: InferenceClient,
  fit: () => SpeechFit,
  closers: (() => Promise<void>)[],
): SpeechToText {
  const local: Recognizer = {
    stt: new LocalSpeechToText({ inference, size: () => fit().recognizer }),
    answerDeadlineMs: LOCAL_ANSWER_DEADLINE_MS,
  };
  if (speechToText.provider === "local") return createFailoverSpeechToText({ recognizers: [local] });
  const remote = createRemoteRecognizer(speechToText, closers);
  return createFailoverSpeechToText({
    recognizers: localSpeech.hasSpeechToText ? [remote, local] : [remote],
  });
}

/** @param closers Receives what the caller must close. */
export function createRemoteRecognizer(
  configuration: Exclude<ProviderConfiguration["speechToText"], { provider: "local" }>,
  closers: (() => Promise<void>)[],
): Recognizer {
  if (configuration.provider === "deepgram") {
    const stt = createDeepgramSpeechToText(configuration);
    return { stt, answerDeadlineMs: STREAMING_ANSWER_DEADLINE_MS };
  }
  const stt = createOpenAiSpeechToText(configuration);
  closers.push(async () => await stt.close());
  return { stt, answerDeadlineMs: REQUEST_ANSWER_DEADLINE_MS };
}

/** @param closers Receives what the caller must close. */
export function createVoices(
  { textToSpeech, localSpeech }: ProviderConfiguration,
  inference: InferenceClient,
  fit: () => SpeechFit,
  closers: (() => Promise<void>)[],
): VoicesFor {
  const local = new LocalTextToSpeech({
    client: inference,
    expectedFactorOf: (voice) => expectedFactor(fit(), voice),
  });
  const localVoice = (voiceId: string): AgentVoice => ({
    tts: local,
    voice: voiceId === "" ? fit().defaultVoice : voiceId,
  });
  const remoteVoice =
    textToSpeech.provider === "local" ? undefined : createRemoteVoices(textToSpeech, closers);
  const toVoice = ({ isLocal, voiceId }: ChosenVoice): AgentVoice =>
    isLocal || remoteVoice === undefined ? localVoice(voiceId) : remoteVoice(voiceId);
  return (choice) => {
    const [first, ...others] = chooseVoices(choice, textToSpeech.provider, localSpeech.hasTextToSpeech);
    const voices: [AgentVoice, ...AgentVoice[]] = [toVoice(first)];
    for (const voice of others.map(toVoice))
      if (!voices.some(({ tts, voice: name }) => tts === voice.tts && name === voice.voice))
        voices.push(voice);
    return voices;
  };
}

/** Ids of the provider's voices begin with its name. */
function createRemoteVoices(
  configuration: Exclude<ProviderConfiguration["textToSpeech"], { provider: "local" }>,
  closers: (() => Promise<void>)[],
): (voiceId: string) => AgentVoice {
  const { tts, defaultVoice } = createRemoteVoice(configuration, closers);
  const prefix = `${configuration.provider}/`;
  return (voiceId) => ({ tts, voice: voiceId === "" ? defaultVoice : voiceId.slice(prefix.length) });
}

/** @param closers Receives what the caller must close. */
export function createRemoteVoice(
  configuration: Exclude<ProviderConfiguration["textToSpeech"], { provider: "local" }>,
  closers: (() => Promise<void>)[],
): { tts: TextToSpeech; defaultVoice: string } {
  if (configuration.provider === "elevenlabs") {
    const tts = createElevenLabsTextToSpeech(configuration);
    closers.push(async () => tts.close());
    return { tts, defaultVoice: DEFAULT_VENDOR_VOICES.elevenlabs };
  }
  const tts = createOpenAiTextToSpeech(configuration);
  closers.push(async () => await tts.close());
  return { tts, defaultVoice: DEFAULT_VENDOR_VOICES.openai };
}
