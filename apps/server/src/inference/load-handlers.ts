import {
  createEmbedHandler,
  createSynthesizeHandler,
  createTranscribeHandler,
  type InferenceHandlers,
  loadDittli,
  loadGguf,
  loadKokoro,
  loadMiniLm,
  loadMoonshine,
} from "@parley/providers";
import type { InferenceConfiguration } from "./inference-protocol.ts";

/** More than two threads gain little, and calls share the cores with the models. */
const SYNTHESIS_THREADS = 2;

/** Loads what is configured, side by side: the first call waits for all of it. */
export async function loadHandlers({
  modelsDirectory: modelsDir,
  hasSpeechToText,
  hasTextToSpeech,
  hasEmbeddings,
  ggufPath,
}: InferenceConfiguration): Promise<InferenceHandlers> {
  const [moonshine, kokoro, dittli, miniLm, generate] = await Promise.all([
    hasSpeechToText ? loadMoonshine({ modelsDir, size: "base", threads: 1 }) : undefined,
    hasTextToSpeech ? loadKokoro({ modelsDir, threads: SYNTHESIS_THREADS }) : undefined,
    hasTextToSpeech ? loadDittli({ modelsDir }) : undefined,
    hasEmbeddings ? loadMiniLm({ modelsDir }) : undefined,
    ggufPath === undefined ? undefined : loadGguf({ path: ggufPath }),
  ]);
  return {
    ...(moonshine && { transcribe: createTranscribeHandler(moonshine) }),
    ...(kokoro && dittli && { synthesize: createSynthesizeHandler({ kokoro, dittli }) }),
    ...(miniLm && { embed: createEmbedHandler(miniLm) }),
    ...(generate && { generate }),
  };
}
