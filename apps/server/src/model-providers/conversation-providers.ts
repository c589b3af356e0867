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
import { createLanguageModels } from "./language-models.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { createSpeechToText, createVoices, type VoicesFor } from "./speech-providers.ts";

/** What a media process's conversations hear, think and speak with; shared by all of its calls. */
export interface Providers {
  /** The one that an agent's `llmModel` names, or the operator's where that cannot be had. */
  languageModelFor: (llmModel: string) => LanguageModel;
  speechToText: SpeechToText;
  /**
   * Who speaks for an agent with this `voiceId` (empty: the operator's default): the agent's own voice first, then those
   * that take over when it fails. The local ones speak English.
   */
  voicesFor: VoicesFor;
  voiceActivity: VoiceActivityDetector;
  noiseSuppressor: NoiseSuppressor;
  /** Undefined where the local recognizer is not loaded, whose process holds it. */
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
