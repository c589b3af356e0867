import type { LanguageModel, SpeechToText, TextToSpeech, VoiceActivityDetector } from "@parley/conversation";
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
const ELEVENLABS_DEFAULT_VOICE = "21m00Tcm4TlvDq8ikWAM";
const ELEVENLABS_PREFIX = "elevenlabs/";

/** What a media process's conversations hear, think and speak with; shared by all of its calls. */
export interface Providers {
  languageModel: LanguageModel;
  speechToText: SpeechToText;
  /** The provider of an agent's `voiceId` (empty: the operator's default), and the voice in that provider's naming. */
  textToSpeechFor: (voiceId: string) => { tts: TextToSpeech; voice: string };
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
    speechToText:
      providers.speechToText.provider === "deepgram"
        ? createDeepgramSpeechToText(providers.speechToText)
        : new LocalSpeechToText({ inference, size: "base" }),
    textToSpeechFor: createVoices(providers.textToSpeech, inference, closers),
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
      return createInferenceLanguageModel(inference, { modelId: configuration.path });
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

function createVoices(
  configuration: ProviderConfiguration["textToSpeech"],
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
): Providers["textToSpeechFor"] {
  const local = new LocalTextToSpeech({ client: inference });
  if (configuration.provider === "local") {
    return (voiceId) => ({ tts: local, voice: voiceId === "" ? defaultLocalVoice : voiceId });
  }
  const elevenLabs = createElevenLabsTextToSpeech(configuration);
  closers.push(async () => elevenLabs.close());
  return (voiceId) => {
    if (voiceId === "") return { tts: elevenLabs, voice: ELEVENLABS_DEFAULT_VOICE };
    return voiceId.startsWith(ELEVENLABS_PREFIX)
      ? { tts: elevenLabs, voice: voiceId.slice(ELEVENLABS_PREFIX.length) }
      : { tts: local, voice: voiceId };
  };
}
