import type { ProviderError } from "./provider-error.ts";

/** Sample rate of a call's audio: 8 kHz for G.711, 16 kHz for wideband codecs. */
export type SampleRateHz = 8000 | 16000;

export interface SpeechToText {
  /** `vendor/model`, e.g. `local/moonshine-base`; used in logs and on the call record. */
  readonly name: string;
  /**
   * Opens the recognizer for one call. Returns before any event; a failed connection is reported as a `failed` event.
   */
  open(options: SpeechToTextOptions): SpeechToTextStream;
}

export interface SpeechToTextOptions {
  sampleRateHz: SampleRateHz;
  /** BCP 47. */
  language: string;
  /** Words that the recognizer should favor (the agent's `sttKeyterms`). */
  keyterms: readonly string[];
  onEvent: (event: SpeechToTextEvent) => void;
}

/**
 * The recognizer of one call. Audio is written without gaps, silence included. The turn policy alone decides where
 * utterances begin and end.
 */
export interface SpeechToTextStream {
  /**
   * Takes mono PCM in order; the buffer may be reused after return. Never blocks: audio that the recognizer cannot take
   * within 2 s is dropped and counted.
   */
  write(pcm: Int16Array): void;
  /** Starts an utterance `leadMs` before the last sample written. */
  startUtterance(leadMs: number): void;
  /**
   * Requests the text of the utterance so far, answered by one `flushed` with the same id or by `failed`. A flush
   * supersedes an unanswered earlier one. The utterance continues: speech may resume.
   */
  flush(flushId: number): void;
  /** Ends the utterance and discards its text. */
  endUtterance(): void;
  /** Idempotent. No event follows. */
  close(): void;
}

/** An alternative for a word or for the beginning of one. */
export interface WordChoice {
  /** Empty: no further word. */
  text: string;
  /** 0–1. */
  probability: number;
}

/** A recognizer's own estimate of how well it understood a text. */
export interface HearingCertainty {
  /** 0–1: geometric mean over all words. */
  confidence: number;
  /** Alternatives for the last word, the most likely first; only the written word if no others are known. */
  lastWord: readonly WordChoice[];
}

export interface HeardText {
  text: string;
  /** Not provided by every recognizer. */
  certainty?: HearingCertainty;
}

export type SpeechToTextEvent =
  /** Text of the utterance so far, which may change. */
  | { type: "partial"; text: string }
  | ({ type: "flushed"; flushId: number } & HeardText)
  /** A failure that was repaired without losing audio; for monitoring only. */
  | { type: "recovered"; error: ProviderError; takenOverBy: string }
  | { type: "failed"; error: ProviderError };
