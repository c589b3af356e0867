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
  FAST_LOCAL_VOICE,
  type InferenceClient,
  LocalSpeechToText,
  LocalTextToSpeech,
  type SpeechFit,
} from "@parley/providers";
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
const ELEVENLABS_DEFAULT_VOICE = "21m00Tcm4TlvDq8ikWAM";
const OPENAI_DEFAULT_VOICE = "alloy";

export interface VoiceChoice {
  voiceId: string;
  fallbackVoiceId: string | undefined;
  /** BCP 47 tag. */
  language: string;
}

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
    realTimeFactorOf: (voice) => speedOf(fit(), voice),
  });
  const isLocal = textToSpeech.provider === "local";
  const defaultVoice = (): AgentVoice => ({ tts: local, voice: fit().defaultVoice });
  const fastVoice: AgentVoice = { tts: local, voice: FAST_LOCAL_VOICE };
  const voiceOf = isLocal
    ? (voiceId: string): AgentVoice => (voiceId === "" ? defaultVoice() : { tts: local, voice: voiceId })
    : createRemoteVoices(textToSpeech, local, closers);
  return ({ voiceId, fallbackVoiceId, language }) => {
    const voice = voiceOf(voiceId);
    if (fallbackVoiceId !== undefined) return [voice, voiceOf(fallbackVoiceId)];
    if (!localSpeech.hasTextToSpeech || !/^en(-|$)/i.test(language)) return [voice];
    if (voice.tts !== local) return [voice, defaultVoice()];
    // A voice named by the agent is kept.
    return voiceId === "" && voice.voice !== FAST_LOCAL_VOICE ? [voice, fastVoice] : [voice];
  };
}

/** Ids of the provider's voices begin with its name; all others are local. */
function createRemoteVoices(
  configuration: Exclude<ProviderConfiguration["textToSpeech"], { provider: "local" }>,
  local: LocalTextToSpeech,
  closers: (() => Promise<void>)[],
): (voiceId: string) => AgentVoice {
  const { tts, defaultVoice } = createRemoteVoice(configuration, closers);
  const prefix = `${configuration.provider}/`;
  return (voiceId) => {
    if (voiceId === "") return { tts, voice: defaultVoice };
    return voiceId.startsWith(prefix)
      ? { tts, voice: voiceId.slice(prefix.length) }
      : { tts: local, voice: voiceId };
  };
}

/** @param closers Receives what the caller must close. */
export function createRemoteVoice(
  configuration: Exclude<ProviderConfiguration["textToSpeech"], { provider: "local" }>,
  closers: (() => Promise<void>)[],
): { tts: TextToSpeech; defaultVoice: string } {
  if (configuration.provider === "elevenlabs") {
    const tts = createElevenLabsTextToSpeech(configuration);
    closers.push(async () => tts.close());
    return { tts, defaultVoice: ELEVENLABS_DEFAULT_VOICE };
  }
  const tts = createOpenAiTextToSpeech(configuration);
  closers.push(async () => await tts.close());
  return { tts, defaultVoice: OPENAI_DEFAULT_VOICE };
}

function speedOf({ speeds, kokoroThreads }: SpeechFit, voice: string): number | undefined {
  return voice.startsWith("kokoro/") ? speeds[`kokoro-${kokoroThreads}`] : speeds.dittli;
}
