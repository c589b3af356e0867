import type { ResamplerRateHz } from "@parley/audio";

export interface EngineVoice {
  /** Name within the engine, without the engine's name. */
  voice: string;
  /** 0.5–2, 1 is the voice's own pace. */
  speed: number;
  /** Share (0–1) of the first phrase that a slow engine synthesizes before the rest. Default 1: the whole phrase at once. */
  firstShare?: number | undefined;
}

/** A phrase, or a part of one, with the pause after it and without silence before it. */
export interface SpeechPiece {
  /** Mono, ±1. */
  samples: Float32Array;
  /** Ends of its words, in milliseconds from its beginning; empty if the engine does not report them. */
  wordEndsMs: readonly number[];
  /** A phrase ends with it at a mark, so that a pause sounds natural. */
  endsPhrase?: boolean;
  /** Nothing of the text follows. */
  isLast: boolean;
}

/** A synthesizer, loaded once for all calls. One step of a synthesis at a time: see `createSynthesizeHandler`. */
export interface SpeechEngine {
  /** Name in logs and errors, such as `local/kokoro`. */
  readonly name: string;
  /** Changes with the model and the processing of its audio: stored audio of another version is not used. */
  readonly version: string;
  readonly sampleRateHz: ResamplerRateHz;
  readonly voices: readonly string[];
  /** Whether its model is loaded or being loaded; `synthesize` and `warmUp` load it. */
  readonly isOpen: boolean;
  /** Processor time of the model's process so far, in milliseconds. */
  readonly processorMs: number;
  /**
   * Synthesizes a text, in pieces as they are ready; none if the text has nothing to pronounce.
   *
   * @throws the signal's reason when aborted; checked between pieces.
   */
  synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncIterable<SpeechPiece>;
  /** Loads the model and runs it once, so that the first caller does not wait for that. */
  warmUp(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}
