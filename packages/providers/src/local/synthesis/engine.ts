import type { ResamplerRateHz } from "@parley/audio";

export interface EngineVoice {
  /** In the engine's own naming, without the engine's name before it. */
  voice: string;
  /** 0.5–2, 1 is the voice's own pace. */
  speed: number;
  /** A caller waits for the first sound: an engine that takes long may make it before the rest. */
  isUrgent?: boolean;
}

/** A phrase with its pause after it, without silence before it, or a part of one. */
export interface SpeechPiece {
  /** Mono, ±1. */
  samples: Float32Array;
  /** Where each of its words ends, in milliseconds from its beginning; empty where the engine does not know. */
  wordEndsMs: readonly number[];
  /** A phrase ends with it at a mark, where a pause sounds natural. */
  endsPhrase?: boolean;
}

/** A synthesiser, loaded once for all calls. One step of a synthesis at a time: see `createSynthesizeHandler`. */
export interface SpeechEngine {
  /** `local/kokoro`, as logs and errors name it. */
  readonly name: string;
  /** Changes with the model and with how its audio is made: what was made by another version is not used. */
  readonly version: string;
  readonly sampleRateHz: ResamplerRateHz;
  readonly voices: readonly string[];
  /**
   * Audio of some words, in pieces as they are made. Nothing where the text has nothing to say.
   *
   * @throws the signal's reason when aborted; looked at between pieces.
   */
  synthesize(text: string, voice: EngineVoice, signal: AbortSignal): AsyncIterable<SpeechPiece>;
  /** Runs once, so that the first caller does not pay for first-time allocations. */
  warmUp(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}
