import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { HeardText, WordTiming } from "@parley/conversation";
import type { JobPriority } from "./job-load.ts";

/**
 * Methods of the inference process. `params` and `result` cross a socket by structured clone (`node:v8`), so they
 * contain plain data and typed arrays. `chunk`: data that a method sends before its result.
 */
export interface InferenceMethods {
  /**
   * Text of one utterance. `isFinal`: a turn is waiting for it. A newer text of a stream drops an older one that is not
   * final.
   */
  transcribe: {
    params: {
      pcm: Int16Array;
      sampleRateHz: number;
      streamId: string;
      isFinal: boolean;
      /** Terms to favor; default: none. */
      keyterms?: readonly string[];
    };
    chunk: never;
    result: HeardText;
  };
  /**
   * Audio of one clause, in chunks as it is synthesized. `voice`: `kokoro/af_heart`, `dittli/…`. `firstShare`: share (0–1)
   * of the first phrase that is synthesized before the rest; default 1: all of it. Preparation runs while no call needs this process, and is kept on disk.
   */
  synthesize: {
    params: {
      text: string;
      voice: string;
      speed: number;
      sampleRateHz: number;
      priority: JobPriority;
      firstShare?: number | undefined;
    };
    /** `endsPhrase`: a pause after it sounds natural. */
    chunk: { pcm: Int16Array; endsPhrase?: boolean };
    /** Times of the words, empty if unknown; whether the audio was synthesized earlier. */
    result: { words: WordTiming[]; isCached: boolean };
  };
  /**
   * Probability that a caller who has just fallen silent has finished, judged by sound. A newer pause of a stream drops
   * an older one that waits.
   */
  predictTurnEnd: {
    params: { pcm: Int16Array; sampleRateHz: number; streamId: string };
    chunk: never;
    result: { probability: number };
  };
  /** Sentence embeddings of 384 dimensions, L2-normalized. */
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
  /** Time without a chunk or result after which the request fails with a `timeout` ProviderError. */
  deadlineMs: number;
  onChunk?: (chunk: InferenceMethods[M]["chunk"]) => void;
}

/** Client of the inference process; over a local socket, or in-process for tests. */
export interface InferenceClient {
  /** Rejects with a `ProviderError`, or with the signal's reason when aborted. */
  request<M extends InferenceMethod>(
    method: M,
    params: InferenceMethods[M]["params"],
    options: InferenceRequestOptions<M>,
  ): Promise<InferenceMethods[M]["result"]>;
  /** Rejects requests under way. Idempotent. */
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
