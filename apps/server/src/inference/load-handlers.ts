import { availableParallelism } from "node:os";
import {
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
  type SpeechEngine,
  SpeechPreparation,
  SpeechStore,
} from "@parley/providers/local";
import type { InferenceConfiguration } from "./inference-protocol.ts";

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
  /** Readies what calls can begin without; to be called once the handlers are served. */
  warmUpRest: () => Promise<void>;
  /** Idempotent. */
  close: () => Promise<void>;
}

/**
 * Loads what is configured: the first call waits for all of it but the faster voice, which takes longest. The models are
 * not run: their first run takes no longer than those after it (measured).
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
  onStart: JobLoadOptions["onStart"],
): Promise<LoadedModels> {
  const load = new JobLoad(onStart === undefined ? {} : { onStart });
  const [moonshine, smartTurn, voices, miniLm, gguf] = await Promise.all([
    hasSpeechToText ? loadMoonshine({ modelsDir, size: "base", threads: 1 }) : undefined,
    hasSpeechToText ? loadSmartTurn({ modelsDir }) : undefined,
    hasTextToSpeech ? loadVoices(modelsDir) : undefined,
    hasEmbeddings ? loadMiniLm({ modelsDir }) : undefined,
    ggufPath === undefined ? undefined : loadGguf({ path: ggufPath, threads: GENERATION_THREADS }),
  ]);
  const store = voices && (await openStore(speechFolder));
  const synthesize = voices && createSynthesizeHandler({ ...voices }, { store, load });
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
    warmUpRest: async () => await voices?.dittli.warmUp(),
    close: async () => {
      preparation?.close();
      await voices?.dittli.close();
    },
  };
}

/** Without a store everything works, and is made again after each start. */
async function openStore(folder: string): Promise<SpeechStore | undefined> {
  try {
    return await SpeechStore.open({ folder, maxBytes: MAX_STORED_BYTES });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Prepared speech is not kept on disk: ${reason}\n`);
    return undefined;
  }
}

async function loadVoices(modelsDir: string): Promise<{ kokoro: SpeechEngine; dittli: SpeechEngine }> {
  const lexicon = await loadLexicon();
  const [kokoro, dittli] = await Promise.all([
    loadKokoro({ modelsDir, lexicon, threads: SYNTHESIS_THREADS }),
    loadDittli({ modelsDir, lexicon }),
  ]);
  return { kokoro, dittli };
}
