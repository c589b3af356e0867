import type { ProviderError } from "./provider-error.ts";
import type { SampleRateHz } from "./speech-to-text.ts";

export interface TextToSpeech {
  /** `vendor/model`, e.g. `local/kokoro`. */
  readonly name: string;
  /** How long first audio may take before another voice that stands ready is tried; 1200 ms unless told. */
  readonly patienceMs?: number;
  /** Seconds of synthesis per second of audio, assumed until they are measured. */
  readonly assumedRealTimeFactor?: number;
  /** How long what is made ahead of need may take, if calls go first; as any other unless told. */
  readonly preparationPatienceMs?: number;
  /** Opens a stream for one reply. Cheap: adapters keep their connections between replies and calls. No event comes before it returns. */
  open(options: TextToSpeechOptions): TextToSpeechStream;
}

export interface TextToSpeechOptions {
  /** The voice in the provider's own naming. */
  voice: string;
  /** The rate at which audio is delivered; the adapter resamples where the provider speaks another. */
  sampleRateHz: SampleRateHz;
  /** BCP 47. */
  language: string;
  /** 0.5–2, 1 is the voice's own pace. */
  speed: number;
  /** Made ahead of need: calls go first. */
  isPreparation?: boolean;
  onEvent: (event: TextToSpeechEvent) => void;
}

/** One reply being spoken: clauses in, audio out in the same order. */
export interface TextToSpeechStream {
  /** Adds a clause: some words of text that can be spoken by themselves. Ids increase. */
  speak(clauseId: number, text: string): void;
  /** No clause follows; after the last audio comes `ended`. */
  end(): void;
  /** Asks the provider to hold its audio back (`pause`) and to go on (`resume`); audio under way may still arrive. */
  pause(): void;
  resume(): void;
  /** Drops what is left, unheard. Idempotent. No event follows. */
  close(): void;
}

export interface WordTiming {
  text: string;
  /** From the start of the clause's audio. */
  startMs: number;
  endMs: number;
}

export type TextToSpeechEvent =
  /** `endsPhrase`: a pause after it sounds natural; the words that follow may come late. */
  | { type: "audio"; clauseId: number; pcm: Int16Array; endsPhrase?: boolean }
  /** Where the provider tells when each word is spoken; may come before or after the audio it is about. */
  | { type: "words"; clauseId: number; words: readonly WordTiming[] }
  /** `isKept`: its audio was made before, and tells nothing of how fast the voice is. */
  | { type: "clauseEnded"; clauseId: number; isKept?: boolean }
  | { type: "ended" }
  | { type: "failed"; error: ProviderError };
