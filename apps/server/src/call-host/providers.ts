import path from "node:path";
import {
  type AgentVoice,
  createLastingSpeechToText,
  type LanguageModel,
  type Recogniser,
  type SpeechToText,
  type VoiceActivityDetector,
} from "@parley/conversation";
import {
  connectInference,
  createBuiltinResponder,
  createDeepgramSpeechToText,
  createElevenLabsTextToSpeech,
  createInferenceLanguageModel,
  createOpenAiCompatibleModel,
  defaultLocalVoice,
  type InferenceClient,
  loadSilero,
  LocalSpeechToText,
  LocalTextToSpeech,
} from "@parley/providers";
import type { MediaConfiguration, ProviderConfiguration } from "./media-protocol.ts";

/** A sentence's embedding takes milliseconds; a process so busy that it takes longer is as good as gone. */
const EMBEDDING_DEADLINE_MS = 5_000;
/** From the end of a pause to the text of it, before the recogniser counts as lost. */
const REMOTE_ANSWER_DEADLINE_MS = 900;
/** Local models share the machine's cores with every other call, and there is nobody behind them. */
const LOCAL_ANSWER_DEADLINE_MS = 4_000;
const ELEVENLABS_DEFAULT_VOICE = "21m00Tcm4TlvDq8ikWAM";
const ELEVENLABS_PREFIX = "elevenlabs/";

/** What a media process's conversations hear, think and speak with; shared by all of its calls. */
export interface Providers {
  languageModel: LanguageModel;
  speechToText: SpeechToText;
  /**
   * Who speaks for an agent with this `voiceId` (empty: the operator's default), the agent's own voice first, then
   * those that take over when it fails.
   */
  voicesFor: (voiceId: string, fallbackVoiceId: string | undefined) => readonly [AgentVoice, ...AgentVoice[]];
  voiceActivity: VoiceActivityDetector;
  close: () => Promise<void>;
}

/** Rejects where the voice activity model cannot be loaded. */
export async function createProviders(configuration: MediaConfiguration): Promise<Providers> {
  const { providers, modelsDirectory, inferencePath } = configuration;
  const inference = connectInference({ path: inferencePath });
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  const voiceActivity = await loadSilero({
    modelsDir: modelsDirectory,
    onFailure: (error) => process.stderr.write(`voice activity detection failed: ${String(error)}\n`),
  });
  closers.push(async () => await voiceActivity.close());
  return {
    voiceActivity,
    languageModel: createLanguageModel(providers.languageModel, inference, closers),
    speechToText: createSpeechToText(providers, inference),
    voicesFor: createVoices(providers, inference, closers),
    close: async () => {
      await Promise.all(closers.splice(0).map((close) => close()));
    },
  };
}

function createLanguageModel(
  configuration: ProviderConfiguration["languageModel"],
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
): LanguageModel {
  switch (configuration.provider) {
    case "openai-compatible": {
      const model = createOpenAiCompatibleModel(configuration);
      closers.push(async () => await model.close());
      return model;
    }
    case "gguf":
      return createInferenceLanguageModel(inference, { modelId: path.basename(configuration.path) });
    case "builtin-responder":
      return createBuiltinResponder({
        embed: async (texts, signal) => {
          const { vectors } = await inference.request(
            "embed",
            { texts },
            { signal, deadlineMs: EMBEDDING_DEADLINE_MS },
          );
          return vectors;
        },
      });
  }
}

function createSpeechToText(
  { speechToText, localSpeech }: ProviderConfiguration,
  inference: InferenceClient,
): SpeechToText {
  const local: Recogniser = {
    stt: new LocalSpeechToText({ inference, size: "base" }),
    answerDeadlineMs: LOCAL_ANSWER_DEADLINE_MS,
  };
  if (speechToText.provider === "local") return createLastingSpeechToText({ recognisers: [local] });
  const remote: Recogniser = {
    stt: createDeepgramSpeechToText(speechToText),
    answerDeadlineMs: REMOTE_ANSWER_DEADLINE_MS,
  };
  return createLastingSpeechToText({
    recognisers: localSpeech.hasSpeechToText ? [remote, local] : [remote],
  });
}

function createVoices(
  { textToSpeech, localSpeech }: ProviderConfiguration,
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
): Providers["voicesFor"] {
  const local = new LocalTextToSpeech({ client: inference });
  const operatorsLocal: AgentVoice = { tts: local, voice: defaultLocalVoice };
  const voiceOf =
    textToSpeech.provider === "local"
      ? (voiceId: string): AgentVoice => ({ tts: local, voice: voiceId === "" ? defaultLocalVoice : voiceId })
      : createElevenLabsVoices(textToSpeech, local, closers);
  return (voiceId, fallbackVoiceId) => {
    const voice = voiceOf(voiceId);
    if (fallbackVoiceId !== undefined) return [voice, voiceOf(fallbackVoiceId)];
    return localSpeech.hasTextToSpeech && voice.tts !== local ? [voice, operatorsLocal] : [voice];
  };
}

function createElevenLabsVoices(
  configuration: ProviderConfiguration["textToSpeech"] & { provider: "elevenlabs" },
  local: LocalTextToSpeech,
  closers: (() => Promise<void>)[],
): (voiceId: string) => AgentVoice {
  const elevenLabs = createElevenLabsTextToSpeech(configuration);
  closers.push(async () => elevenLabs.close());
  return (voiceId) => {
    if (voiceId === "") return { tts: elevenLabs, voice: ELEVENLABS_DEFAULT_VOICE };
    return voiceId.startsWith(ELEVENLABS_PREFIX)
      ? { tts: elevenLabs, voice: voiceId.slice(ELEVENLABS_PREFIX.length) }
      : { tts: local, voice: voiceId };
  };
}
