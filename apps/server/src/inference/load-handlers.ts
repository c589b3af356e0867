import { availableParallelism } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import {
  askMiniLm,
  askMoonshine,
  askSmartTurn,
  askVoice,
  createEmbedHandler,
  createSynthesizeHandler,
  createTranscribeHandler,
  createTurnEndHandler,
  type FixedSpeech,
  type InferenceHandlers,
  JobLoad,
  type JobLoadOptions,
  loadDittli,
  loadGguf,
  loadKokoro,
  loadLexicon,
  loadMiniLm,
  loadMoonshine,
  loadSmartTurn,
  type Lexicon,
  type SpeechEngine,
  SpeechPreparation,
  SpeechStore,
} from "@parley/providers/local";
import type { InferenceConfiguration } from "./inference-protocol.ts";
import { loadUsable } from "./load-usable.ts";
import { type ModelReport, VOICE_STAND_INS } from "./model-states.ts";

/** More than two threads gain little, and calls share the cores with the models. */
const SYNTHESIS_THREADS = 2;
/**
 * llama.cpp's threads wait for each other by spinning: with one on every core, whatever else runs holds them all up
 * (measured with calls on the same two cores: 0.4 s for a sentence became 210 s).
 */
const GENERATION_THREADS = Math.max(1, availableParallelism() - 1);

/** About 90 minutes of speech. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;

interface LoadedModels {
  handlers: InferenceHandlers;
  /** Has what an agent always says made before calls need it. */
  prepareSpeech: (speech: FixedSpeech) => void;
  /** Idempotent. */
  close: () => Promise<void>;
}

interface LoadListeners {
  onStart: NonNullable<JobLoadOptions["onStart"]>;
  /** Called for each model; the handlers do without those that are unusable. */
  onModel: (report: ModelReport) => void;
}

/**
 * Loads what is configured, the faster voice included: what is opened after the node is ready takes the processor from its
 * first call. Models that passed their self-test before are not run: their first run takes no longer than those after it
 * (measured).
 */
export async function loadHandlers(
  {
    modelsDirectory: modelsDir,
    speechFolder,
    hasSpeechToText,
    hasTextToSpeech,
    hasEmbeddings,
    ggufPath,
  }: InferenceConfiguration,
  { onStart, onModel }: LoadListeners,
): Promise<LoadedModels> {
  const load = new JobLoad({ onStart });
  const [moonshine, smartTurn, voices, miniLm, gguf] = await Promise.all([
    hasSpeechToText
      ? loadUsable(onModel, {
          modelsDir,
          group: "moonshine-base",
          load: async () => await loadMoonshine({ modelsDir, size: "base", threads: 1 }),
          ask: askMoonshine,
        })
      : undefined,
    hasSpeechToText
      ? loadUsable(onModel, {
          modelsDir,
          group: "smart-turn",
          load: async () => await loadSmartTurn({ modelsDir }),
          ask: askSmartTurn,
        })
      : undefined,
    hasTextToSpeech ? loadVoices(modelsDir, onModel) : undefined,
    hasEmbeddings
      ? loadUsable(onModel, {
          modelsDir,
          group: "minilm",
          load: async () => await loadMiniLm({ modelsDir }),
          ask: askMiniLm,
        })
      : undefined,
    ggufPath === undefined ? undefined : loadGguf({ path: ggufPath, threads: GENERATION_THREADS }),
  ]);
  const store = voices && (await openStore(speechFolder));
  const synthesize = voices && createSynthesizeHandler(voices, { store, load, standIns: VOICE_STAND_INS });
  const preparation = synthesize && new SpeechPreparation(synthesize);
  return {
    prepareSpeech: (speech) => preparation?.add(speech),
    handlers: {
      ...(moonshine && { transcribe: createTranscribeHandler(moonshine, load) }),
      ...(smartTurn && { predictTurnEnd: createTurnEndHandler(smartTurn, load) }),
      ...(synthesize && { synthesize }),
      ...(miniLm && { embed: createEmbedHandler(miniLm, load) }),
      ...(gguf && { generate: gguf.generate }),
    },
    close: async () => {
      preparation?.close();
      await voices?.dittli?.close();
    },
  };
}

/** Without a store everything works, and is made again after each start. */
async function openStore(folder: string): Promise<SpeechStore | undefined> {
  try {
    return await SpeechStore.open({ folder, maxBytes: MAX_STORED_BYTES });
  } catch (error) {
    const reason = errorMessage(error);
    process.stderr.write(`prepared speech is not stored on disk: ${reason}\n`);
    return undefined;
  }
}

type LoadedVoices = Partial<Record<"kokoro" | "dittli", SpeechEngine>>;

/** The voices that are usable. */
async function loadVoices(modelsDir: string, onModel: LoadListeners["onModel"]): Promise<LoadedVoices> {
  const lexicon = await loadLexicon();
  const [kokoro, dittli] = await Promise.all([
    loadUsable(onModel, {
      modelsDir,
      group: "kokoro",
      load: async () => await loadKokoro({ modelsDir, lexicon, threads: SYNTHESIS_THREADS }),
      ask: async (engine) => await askVoice(engine, "af_heart"),
    }),
    loadUsable(onModel, {
      modelsDir,
      group: "dittli",
      load: async () => await openDittli(modelsDir, lexicon),
      ask: async (engine) => await askVoice(engine, "male"),
    }),
  ]);
  return { ...(kokoro && { kokoro }), ...(dittli && { dittli }) };
}

/** Its model is opened by its first words. */
async function openDittli(modelsDir: string, lexicon: Lexicon): Promise<SpeechEngine> {
  const engine = await loadDittli({ modelsDir, lexicon });
  await engine.warmUp();
  return engine;
}
