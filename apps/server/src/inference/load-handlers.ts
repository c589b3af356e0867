import { availableParallelism } from "node:os";
import {
  createEmbedHandler,
  createSynthesizeHandler,
  createTranscribeHandler,
  createTurnEndHandler,
  type InferenceHandlers,
  loadDittli,
  loadGguf,
  loadKokoro,
  loadLexicon,
  loadMiniLm,
  loadMoonshine,
  loadSmartTurn,
  type SpeechEngine,
} from "@parley/providers/local";
import type { InferenceConfiguration } from "./inference-protocol.ts";

/** More than two threads gain little, and calls share the cores with the models. */
const SYNTHESIS_THREADS = 2;
/**
 * llama.cpp's threads wait for each other by spinning: with one on every core, whatever else runs holds them all up
 * (measured with calls on the same two cores: 0.4 s for a sentence became 210 s).
 */
const GENERATION_THREADS = Math.max(1, availableParallelism() - 1);

interface LoadedModels {
  handlers: InferenceHandlers;
  /** Readies what calls can begin without; to be called once the handlers are served. */
  warmUpRest: () => Promise<void>;
  /** Idempotent. */
  close: () => Promise<void>;
}

/**
 * Loads what is configured: the first call waits for all of it but the faster voice, which takes longest. The models are
 * not run: their first run takes no longer than those after it (measured).
 */
export async function loadHandlers({
  modelsDirectory: modelsDir,
  hasSpeechToText,
  hasTextToSpeech,
  hasEmbeddings,
  ggufPath,
}: InferenceConfiguration): Promise<LoadedModels> {
  const [moonshine, smartTurn, voices, miniLm, gguf] = await Promise.all([
    hasSpeechToText ? loadMoonshine({ modelsDir, size: "base", threads: 1 }) : undefined,
    hasSpeechToText ? loadSmartTurn({ modelsDir }) : undefined,
    hasTextToSpeech ? loadVoices(modelsDir) : undefined,
    hasEmbeddings ? loadMiniLm({ modelsDir }) : undefined,
    ggufPath === undefined ? undefined : loadGguf({ path: ggufPath, threads: GENERATION_THREADS }),
  ]);
  return {
    handlers: {
      ...(moonshine && { transcribe: createTranscribeHandler(moonshine) }),
      ...(smartTurn && { predictTurnEnd: createTurnEndHandler(smartTurn) }),
      ...(voices && { synthesize: createSynthesizeHandler({ ...voices }) }),
      ...(miniLm && { embed: createEmbedHandler(miniLm) }),
      ...(gguf && { generate: gguf.generate }),
    },
    warmUpRest: async () => await voices?.dittli.warmUp(),
    close: async () => await voices?.dittli.close(),
  };
}

async function loadVoices(modelsDir: string): Promise<{ kokoro: SpeechEngine; dittli: SpeechEngine }> {
  const lexicon = await loadLexicon();
  const [kokoro, dittli] = await Promise.all([
    loadKokoro({ modelsDir, lexicon, threads: SYNTHESIS_THREADS }),
    loadDittli({ modelsDir, lexicon }),
  ]);
  return { kokoro, dittli };
}
