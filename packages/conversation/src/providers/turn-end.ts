import type { SampleRateHz } from "./speech-to-text.ts";

/** Hears from how a caller speaks whether the turn is over. */
export interface TurnEndDetector {
  /** Whether the model knows the melody of this language (BCP 47). */
  isAble(language: string): boolean;
  open(options: TurnEndOptions): TurnEndStream;
}

export interface TurnEndOptions {
  sampleRateHz: SampleRateHz;
  /** The probability (0–1) that the caller has finished; for a request whose answer comes too late, never. */
  onProbability: (requestId: number, probability: number) => void;
}

/** The detector of one call. Audio is written without gaps, silence included. */
export interface TurnEndStream {
  /** Mono PCM; the buffer is the caller's again on return. */
  write(pcm: Int16Array): void;
  /** A turn began `leadMs` before the last sample written. */
  startUtterance(leadMs: number): void;
  /** The caller has just fallen silent: is that the end of the turn? Supersedes an unanswered earlier request. */
  judge(requestId: number): void;
  /** Idempotent. No callback follows. */
  close(): void;
}
