import { availableParallelism } from "node:os";
import {
  type LanguageModel,
  type NoiseSuppressor,
  type SpeechToText,
  type TurnEndDetector,
  type VoiceActivityDetector,
} from "@parley/conversation";
import {
  askSilero,
  connectInference,
  chooseSpeechFit,
  loadRnnoise,
  loadSilero,
  LocalTurnEnd,
  type SpeechFit,
} from "@parley/providers";
import { loadUsable } from "../inference/load-usable.ts";
import type { ModelReport } from "../inference/model-states.ts";
import { chooseLanguageModel } from "../platform/config/choose-language-model.ts";
import { loadLanguageModels } from "./language-models.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { loadSpeechToText, loadVoices, type VoicesFor } from "./speech-providers.ts";

/** Recognizers, language models and voices of a media process, shared by all of its calls. */
export interface Providers {
  /** The model named by an agent's `llmModel`, or the operator's if that model is unavailable. */
  languageModelFor: (llmModel: string) => LanguageModel;
  /** Whether that model understands questions; the built-in responder only finds answers. */
  hasLanguageModel: (llmModel: string) => boolean;
  speechToText: SpeechToText;
  /**
   * Voices for an agent with this `voiceId` (empty: the operator's default): the agent's own voice first, then its
   * fallbacks. The local voices speak English.
   */
  voicesFor: VoicesFor;
  voiceActivity: VoiceActivityDetector;
  noiseSuppressor: NoiseSuppressor;
  /** `undefined` if the local recognizer is not loaded, because its process runs the detector. */
  turnEnd: TurnEndDetector | undefined;
  /** Replaces the fit of the local models. */
  useSpeechFit: (fit: SpeechFit) => void;
  close: () => Promise<void>;
}

/** Rejects if the models of voice activity and noise cannot be loaded. */
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
    languageModelFor: await loadLanguageModels(providers, inference, closers),
    hasLanguageModel: (llmModel) => chooseLanguageModel(providers, llmModel).provider !== "builtin-responder",
    speechToText: await loadSpeechToText(providers, inference, currentFit, closers),
    voicesFor: await loadVoices(providers, inference, currentFit, closers),
    useSpeechFit: (next) => {
      fit = next;
    },
    close: async () => {
      await Promise.all(closers.splice(0).map((close) => close()));
    },
  };
}
