import type { SampleRateHz } from "./speech-to-text.ts";

/** Judges by sound whether a caller's turn is over. */
export interface TurnEndDetector {
  /** Whether the model was trained on the intonation of this language (BCP 47). */
  supportsLanguage(language: string): boolean;
  open(options: TurnEndOptions): TurnEndStream;
}

export interface TurnEndOptions {
  sampleRateHz: SampleRateHz;
  /** Reports the probability (0–1) that the caller has finished; not called for a superseded or late request. */
  onProbability: (requestId: number, probability: number) => void;
}

/** The detector of one call. Audio is written without gaps, silence included. */
export interface TurnEndStream {
  /** Takes mono PCM; the buffer may be reused after return. */
  write(pcm: Int16Array): void;
  /** Starts a turn `leadMs` before the last sample written. */
  startUtterance(leadMs: number): void;
  /** Requests the probability that the silence just begun ends the turn. Supersedes an unanswered earlier request. */
  judge(requestId: number): void;
  /** Idempotent. No callback follows. */
  close(): void;
}
