import { availableParallelism } from "node:os";
import {
  type AgentVoice,
  createFailoverSpeechToText,
  type LanguageModel,
  type NoiseSuppressor,
  type Recognizer,
  type SpeechToText,
  type TextToSpeech,
  type TurnEndDetector,
  type VoiceActivityDetector,
} from "@parley/conversation";
import {
  askSilero,
  connectInference,
  createDeepgramSpeechToText,
  createElevenLabsTextToSpeech,
  createOpenAiSpeechToText,
  createOpenAiTextToSpeech,
  chooseSpeechFit,
  FAST_LOCAL_VOICE,
  type InferenceClient,
  loadRnnoise,
  loadSilero,
  LocalSpeechToText,
  LocalTextToSpeech,
  LocalTurnEnd,
  type SpeechFit,
} from "@parley/providers";
import { chooseLanguageModel } from "../platform/config/choose-language-model.ts";
import { loadUsable } from "../inference/load-usable.ts";
import type { ModelReport } from "../inference/model-states.ts";
import { createLanguageModel } from "./language-models.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";

/** From the end of a pause to the text of it, before the recogniser counts as lost. */
const STREAMING_ANSWER_DEADLINE_MS = 900;
/** A request carries the whole utterance. */
const REQUEST_ANSWER_DEADLINE_MS = 2_000;
/** Local models share the machine's cores with every other call: asking twice would make them slower still. */
const LOCAL_ANSWER_DEADLINE_MS = 10_000;
/** Each holds connections of its own. */
const MOST_NAMED_MODELS = 100;
const ELEVENLABS_DEFAULT_VOICE = "21m00Tcm4TlvDq8ikWAM";
const OPENAI_DEFAULT_VOICE = "alloy";

interface VoiceChoice {
  voiceId: string;
  fallbackVoiceId: string | undefined;
  /** BCP 47. */
  language: string;
}

/** What a media process's conversations hear, think and speak with; shared by all of its calls. */
export interface Providers {
  /** The one that an agent's `llmModel` names, or the operator's where that cannot be had. */
  languageModelFor: (llmModel: string) => LanguageModel;
  speechToText: SpeechToText;
  /**
   * Who speaks for an agent with this `voiceId` (empty: the operator's default): the agent's own voice first, then those
   * that take over when it fails. The local ones speak English.
   */
  voicesFor: (agent: VoiceChoice) => readonly [AgentVoice, ...AgentVoice[]];
  voiceActivity: VoiceActivityDetector;
  noiseSuppressor: NoiseSuppressor;
  /** Undefined where the local recogniser is not loaded, whose process holds it. */
  turnEnd: TurnEndDetector | undefined;
  /** The local models' fit is another from now on. */
  useSpeechFit: (fit: SpeechFit) => void;
  close: () => Promise<void>;
}

/** Rejects where the models of voice activity and of noise cannot be loaded. */
export async function createProviders(
  configuration: {
    providers: ProviderConfiguration;
    modelsDirectory: string;
    inferencePath: string;
    /** `undefined` until it is known. */
    speechFit: SpeechFit | undefined;
  },
  report: (report: ModelReport) => void,
): Promise<Providers> {
  const { providers, modelsDirectory, inferencePath } = configuration;
  const inference = connectInference({ path: inferencePath });
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  let fit = configuration.speechFit ?? chooseSpeechFit({}, availableParallelism());
  const currentFit = (): SpeechFit => fit;
  const voiceActivity = await loadUsable(report, {
    modelsDir: modelsDirectory,
    group: "silero",
    load: async () =>
      await loadSilero({
        modelsDir: modelsDirectory,
        onFailure: (error) => process.stderr.write(`voice activity detection failed: ${String(error)}\n`),
      }),
    ask: askSilero,
  });
  if (voiceActivity === undefined) throw new Error("the voice activity model is not usable");
  closers.push(async () => await voiceActivity.close());
  return {
    voiceActivity,
    noiseSuppressor: await loadRnnoise(),
    turnEnd: providers.localSpeech.hasSpeechToText ? new LocalTurnEnd({ inference }) : undefined,
    languageModelFor: createLanguageModels(providers.languageModel, inference, closers),
    speechToText: createSpeechToText(providers, inference, currentFit, closers),
    voicesFor: createVoices(providers, inference, currentFit, closers),
    useSpeechFit: (next) => {
      fit = next;
    },
    close: async () => {
      await Promise.all(closers.splice(0).map((close) => close()));
    },
  };
}

/** One for each model that agents name, to be shared by their calls. */
function createLanguageModels(
  standard: ProviderConfiguration["languageModel"],
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
): Providers["languageModelFor"] {
  const standardModel = createLanguageModel(standard, inference, closers);
  const named = new Map<string, LanguageModel>();
  return (llmModel) => {
    const known = named.get(llmModel);
    if (known !== undefined) return known;
    const chosen = chooseLanguageModel(standard, llmModel);
    if (chosen === standard || named.size >= MOST_NAMED_MODELS) return standardModel;
    const model = createLanguageModel(chosen, inference, closers);
    named.set(llmModel, model);
    return model;
  };
}

function createSpeechToText(
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
  const remote = createRemoteRecogniser(speechToText, closers);
  return createFailoverSpeechToText({
    recognizers: localSpeech.hasSpeechToText ? [remote, local] : [remote],
  });
}

/** @param closers gets what the caller must close. */
export function createRemoteRecogniser(
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
): Providers["voicesFor"] {
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
    // An agent that names a voice keeps it.
    return voiceId === "" && voice.voice !== FAST_LOCAL_VOICE ? [voice, fastVoice] : [voice];
  };
}

/** Ids of the provider's voices begin with its name; all others are local ones. */
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

/** @param closers gets what the caller must close. */
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
