import type { ProviderError } from "./provider-error.ts";
import type { SampleRateHz } from "./speech-to-text.ts";

export interface TextToSpeech {
  /** `vendor/model`, e.g. `local/kokoro`. */
  readonly name: string;
  /**
   * Time that audio may be missing before another available voice is used: before the first audio (default 1200 ms), and later
   * if a clause probably takes as long.
   */
  readonly audioTimeoutMs?: number;
  /** Seconds of synthesis per second of audio, assumed of a voice until measured. */
  assumedRealTimeFactorOf?(voice: string): number;
  /** Time that speech synthesized in advance may take while calls have priority; by default as for other speech. */
  readonly preparationTimeoutMs?: number;
  /**
   * Opens a stream for one reply. Cheap: adapters keep their connections between replies and calls. Returns before any
   * event.
   */
  open(options: TextToSpeechOptions): TextToSpeechStream;
}

export interface TextToSpeechOptions {
  /** Name of the voice at the provider. */
  voice: string;
  /** Sample rate of the audio delivered; the adapter resamples if the provider uses another. */
  sampleRateHz: SampleRateHz;
  /** BCP 47. */
  language: string;
  /** 0.5–2; 1 is the voice's own pace. */
  speed: number;
  /** Variation of the voice, 0–1; 0.7 and `undefined` are the voice's own. Ignored by voices without the setting. */
  temperature?: number;
  /** Synthesized in advance, with lower priority than calls. */
  isPreparation?: boolean;
  /**
   * Share (0–1) of a clause whose audio must have arrived before it begins, so that the rest arrives in time. A voice that
   * synthesizes as slowly as that may deliver the first clause in two pieces. 1: all of it; absent: unknown.
   */
  startShare?: number;
  onEvent: (event: TextToSpeechEvent) => void;
}

/** One reply being spoken: clauses in, audio out in the same order. */
export interface TextToSpeechStream {
  /** Adds a clause that can be spoken separately. Ids increase. */
  speak(clauseId: number, text: string): void;
  /** Ends the input; `ended` follows the last audio. */
  end(): void;
  /** Asks the provider to withhold audio until `resume`; audio already on its way may still arrive. */
  pause(): void;
  resume(): void;
  /** Drops the rest, unheard. Idempotent. No event follows. */
  close(): void;
}

export interface WordTiming {
  text: string;
  /** From the start of the clause's audio. */
  startMs: number;
  endMs: number;
}

export type TextToSpeechEvent =
  /** `endsPhrase`: a pause after this audio sounds natural; the following words may come late. */
  | { type: "audio"; clauseId: number; pcm: Int16Array; endsPhrase?: boolean }
  /** Word timings, from providers that send them, before or after the audio that they describe. */
  | { type: "words"; clauseId: number; words: readonly WordTiming[] }
  /** `isCached`: the audio was made earlier, so its duration says nothing about the voice's speed. */
  | { type: "clauseEnded"; clauseId: number; isCached?: boolean }
  | { type: "ended" }
  | { type: "failed"; error: ProviderError };
