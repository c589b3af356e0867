import type { ProviderError } from "./provider-error.ts";

/** Sample rates that a call's audio path runs at: 8 kHz for G.711, 16 kHz for everything wider. */
export type SampleRateHz = 8000 | 16000;

export interface SpeechToText {
  /** `vendor/model`, e.g. `local/moonshine-base`; stands in logs and on the call record. */
  readonly name: string;
  /**
   * Opens the recognizer for one call. Returns at once, before any event; a connection that fails is reported as
   * a `failed` event.
   */
  open(options: SpeechToTextOptions): SpeechToTextStream;
}

export interface SpeechToTextOptions {
  sampleRateHz: SampleRateHz;
  /** BCP 47. */
  language: string;
  /** Words that the recognizer should favor (`sttKeyterms` of the agent). */
  keyterms: readonly string[];
  onEvent: (event: SpeechToTextEvent) => void;
}

/**
 * The recognizer of one call. Audio is written without gaps, silence included; utterances are marked by
 * the voice loop, which alone decides where a turn begins and ends.
 */
export interface SpeechToTextStream {
  /** Mono PCM, in order; the buffer is the caller's again on return. Never blocks: audio that the recognizer cannot take within 2 s is dropped and counted. */
  write(pcm: Int16Array): void;
  /** Speech began `leadMs` before the last sample written: the utterance's text starts there. */
  startUtterance(leadMs: number): void;
  /**
   * Asks for the text of the utterance as heard so far; answered by one `flushed` with the same id, or by
   * `failed`. A flush supersedes an unanswered earlier one. The utterance goes on: speech may resume.
   */
  flush(flushId: number): void;
  /** Forgets the utterance. */
  endUtterance(): void;
  /** Idempotent. No event follows. */
  close(): void;
}

/** A word, or the beginning of one, that may have been said. */
export interface WordChoice {
  /** Empty: no further word was. */
  text: string;
  /** 0–1. */
  probability: number;
}

/** How well a recognizer heard a text, by its own account. */
export interface HearingCertainty {
  /** 0–1, of all words: their geometric mean. */
  confidence: number;
  /** What the last word may have been, the likeliest first; the one in the text where no others are known. */
  lastWord: readonly WordChoice[];
}

export interface HeardText {
  text: string;
  /** Not every recognizer tells. */
  certainty?: HearingCertainty;
}

export type SpeechToTextEvent =
  /** Text of the utterance so far; may change. */
  | { type: "partial"; text: string }
  | ({ type: "flushed"; flushId: number } & HeardText)
  /** A failure that was made good: nothing that was heard is lost. Only for those who watch over providers. */
  | { type: "recovered"; error: ProviderError }
  | { type: "failed"; error: ProviderError };
