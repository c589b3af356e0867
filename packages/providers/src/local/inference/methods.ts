import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { HeardText, WordTiming } from "@parley/conversation";
import type { JobPriority } from "./job-load.ts";

/**
 * What the inference process answers. `params` and `result` cross a socket by structured clone (`node:v8`),
 * so they hold plain data and typed arrays; `chunk` is what a method sends before its result.
 */
export interface InferenceMethods {
  /** Text of one utterance. `isFinal`: a turn waits for it; a newer text of a stream that is not final drops an older one. */
  transcribe: {
    params: { pcm: Int16Array; sampleRateHz: number; streamId: string; isFinal: boolean };
    chunk: never;
    result: HeardText;
  };
  /**
   * Audio of one clause, in chunks as it is made. `voice` is `kokoro/af_heart`, `dittli/…`. Of what a turn
   * waits for the beginning is made before the rest. What is prepared is made while no call needs this process, and kept
   * on disk.
   */
  synthesize: {
    params: { text: string; voice: string; speed: number; sampleRateHz: number; priority: JobPriority };
    /** `endsPhrase`: a pause after it sounds natural. */
    chunk: { pcm: Int16Array; endsPhrase?: boolean };
    /** When each word of the text is heard, empty if that is not known; whether its audio was made before. */
    result: { words: WordTiming[]; isCached: boolean };
  };
  /**
   * The probability that a caller has finished who has just fallen silent, from how the turn sounds. A newer pause of a
   * stream drops an older one that waits.
   */
  predictTurnEnd: {
    params: { pcm: Int16Array; sampleRateHz: number; streamId: string };
    chunk: never;
    result: { probability: number };
  };
  /** Sentence embeddings of 384 dimensions, L2-normalised. */
  embed: {
    params: { texts: string[] };
    chunk: never;
    result: { vectors: Float32Array[] };
  };
  /** A reply of the GGUF model named by `PARLEY_LLM_GGUF`. */
  generate: {
    params: { options: Omit<LanguageModelV4CallOptions, "abortSignal"> };
    chunk: LanguageModelV4StreamPart;
    result: Record<string, never>;
  };
}

export type InferenceMethod = keyof InferenceMethods;

export interface InferenceRequestOptions<M extends InferenceMethod> {
  /** Aborting drops the request in the inference process too. */
  signal?: AbortSignal;
  /** The request fails with a `timeout` ProviderError when neither a chunk nor the result came for so long. */
  deadlineMs: number;
  onChunk?: (chunk: InferenceMethods[M]["chunk"]) => void;
}

/** The way to the inference process from any other; implemented over a local socket, and in-process for tests. */
export interface InferenceClient {
  /** Rejects with a `ProviderError`, or with the signal's reason when aborted. */
  request<M extends InferenceMethod>(
    method: M,
    params: InferenceMethods[M]["params"],
    options: InferenceRequestOptions<M>,
  ): Promise<InferenceMethods[M]["result"]>;
  /** Idempotent; what is under way rejects. */
  close(): void;
}

interface InferenceContext<M extends InferenceMethod> {
  signal: AbortSignal;
  emit: (chunk: InferenceMethods[M]["chunk"]) => void;
}

export type InferenceHandlers = {
  [M in InferenceMethod]?: (
    params: InferenceMethods[M]["params"],
    context: InferenceContext<M>,
  ) => Promise<InferenceMethods[M]["result"]>;
};
