import { availableParallelism } from "node:os";
import type { NoiseSuppressor, TurnEndDetector, VoiceActivityDetector } from "@parley/conversation";
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
import { OrganizationSets } from "./organization-sets.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { loadProviderSet, type ProviderSet } from "./provider-set.ts";

/** The providers of a media process, shared by all of its calls. */
export interface Providers {
  /** Those of the operator. */
  standard: ProviderSet;
  /** Those of organizations with keys of their own. */
  own: OrganizationSets<ProviderSet>;
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
  const standard = await loadProviderSet(providers, inference, currentFit);
  const own = new OrganizationSets(
    async (configured) => await loadProviderSet(configured, inference, currentFit),
  );
  closers.push(
    async () => await standard.close(),
    async () => await own.close(),
  );
  return {
    voiceActivity,
    noiseSuppressor: await loadRnnoise(),
    turnEnd: providers.localSpeech.hasSpeechToText ? new LocalTurnEnd({ inference }) : undefined,
    standard,
    own,
    useSpeechFit: (next) => {
      fit = next;
    },
    close: async () => {
      await Promise.all(closers.splice(0).map((close) => close()));
    },
  };
}
