import { availableParallelism } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import {
  askMiniLm,
  askSmartTurn,
  createEmbedHandler,
  createSynthesizeHandler,
  createTranscribeHandler,
  createTurnEndHandler,
  type FixedSpeech,
  type InferenceHandlers,
  JobLoad,
  type JobLoadOptions,
  loadGguf,
  loadMiniLm,
  loadSmartTurn,
  type MiniLm,
  type SmartTurn,
  SpeechPreparation,
  type SpeechFit,
  SpeechStore,
} from "@parley/providers/local";
import type { InferenceConfiguration } from "./inference-protocol.ts";
import { SpeechLoader } from "./load-speech.ts";
import { loadUsable, warmedUp } from "./load-usable.ts";
import { type ModelReport, VOICE_STAND_INS } from "./model-states.ts";

/**
 * llama.cpp's threads wait for each other by spinning: with one on every core, any other work on the machine delays
 * them all (measured with calls on the same two cores: 0.4 s for a sentence became 210 s).
 */
const GENERATION_THREADS = Math.max(1, availableParallelism() - 1);

/** About 90 minutes of speech. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;

interface LoadedModels {
  handlers: InferenceHandlers;
  /** Synthesizes an agent's fixed texts before calls need them. */
  prepareSpeech: (speech: FixedSpeech) => void;
  /** Number of active calls with local speech: fixed texts wait for their end. */
  noteActiveCalls: (count: number) => void;
  /** Idempotent. */
  close: () => Promise<void>;
}

interface LoadListeners {
  onStart: NonNullable<JobLoadOptions["onStart"]>;
  /** Called for each model; the handlers work without those that are unusable. */
  onModel: (report: ModelReport) => void;
  /** Called once, before the models can be used. */
  onFit: (fit: SpeechFit) => void;
}

/**
 * Loads the configured models, and the voices in use: a model opened after the node is ready takes processor time from its
 * first call. The recognizer and the end-of-turn model run once: their first runs together took 60 ms longer than later ones
 * (measured), which delayed the first answer of a call. Kokoro opens meanwhile, in a process of its own, so that this does not
 * delay the start on two cores.
 */
export async function loadHandlers(
  {
    modelsDirectory: modelsDir,
    speechFolder,
    hasSpeechToText,
    hasTextToSpeech,
    speechFit: settings,
    hasEmbeddings,
    gguf: ggufSettings,
    activeCalls,
  }: InferenceConfiguration,
  voicesInUse: Promise<readonly string[]>,
  { onStart, onModel, onFit }: LoadListeners,
): Promise<LoadedModels> {
  const loader = new SpeechLoader({
    modelsDir,
    hasSpeechToText,
    hasTextToSpeech,
    voicesInUse,
    settings,
    onModel,
  });
  const [loaded, smartTurn, miniLm, gguf] = await Promise.all([
    loader.load(),
    hasSpeechToText ? loadTurnEnd(modelsDir, onModel) : undefined,
    hasEmbeddings ? loadEmbedder(modelsDir, onModel) : undefined,
    ggufSettings && loadGguf({ ...ggufSettings, threads: GENERATION_THREADS }),
  ]);
  const { models, fit } = loaded.isMeasured ? loaded : await loader.measure(loaded.models);
  onFit(fit);
  const load = new JobLoad({ onStart });
  const { moonshine } = models;
  const voices = hasTextToSpeech ? models.voices : undefined;
  const store = voices && (await openStore(speechFolder));
  const synthesize = voices && createSynthesizeHandler(voices, { store, load, standIns: VOICE_STAND_INS });
  const preparation = synthesize && new SpeechPreparation(synthesize, fit.defaultVoice);
  const noteActiveCalls = (count: number): void => {
    if (preparation) preparation.activeCalls = count;
  };
  noteActiveCalls(activeCalls);
  return {
    prepareSpeech: (speech) => preparation?.add(speech),
    noteActiveCalls,
    handlers: {
      ...(moonshine && { transcribe: createTranscribeHandler(moonshine, load) }),
      ...(smartTurn && { predictTurnEnd: createTurnEndHandler(smartTurn, load) }),
      ...(synthesize && { synthesize }),
      ...(miniLm && { embed: createEmbedHandler(miniLm, load) }),
      ...(gguf && { generate: gguf.generate }),
    },
    close: async () => {
      preparation?.close();
      await Promise.all([voices?.kokoro?.close(), voices?.dittli?.close()]);
    },
  };
}

async function loadTurnEnd(
  modelsDir: string,
  onModel: LoadListeners["onModel"],
): Promise<SmartTurn | undefined> {
  return await loadUsable(onModel, {
    modelsDir,
    group: "smart-turn",
    load: async () => await warmedUp(await loadSmartTurn({ modelsDir })),
    ask: askSmartTurn,
  });
}

async function loadEmbedder(
  modelsDir: string,
  onModel: LoadListeners["onModel"],
): Promise<MiniLm | undefined> {
  return await loadUsable(onModel, {
    modelsDir,
    group: "minilm",
    load: async () => await loadMiniLm({ modelsDir }),
    ask: askMiniLm,
  });
}

/**
 * Opens the store of prepared speech; `undefined` if it fails. Everything works without it, but speech is synthesized
 * again after each start.
 */
async function openStore(folder: string): Promise<SpeechStore | undefined> {
  try {
    return await SpeechStore.open({ folder, maxBytes: MAX_STORED_BYTES });
  } catch (error) {
    const reason = errorMessage(error);
    process.stderr.write(`prepared speech is not stored on disk: ${reason}\n`);
    return undefined;
  }
}
