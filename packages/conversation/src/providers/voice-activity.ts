import type { SampleRateHz } from "./speech-to-text.ts";

export interface VoiceActivityDetector {
  open(options: VoiceActivityOptions): VoiceActivityStream;
}

export interface VoiceActivityOptions {
  sampleRateHz: SampleRateHz;
  /**
   * Called once per analyzed window of 32 ms, in order, with the probability (0–1) that it contains speech and the
   * number of samples written at its end. May be called later than the write that completed the window.
   */
  onProbability: (probability: number, endSample: number) => void;
}

export interface VoiceActivityStream {
  write(pcm: Int16Array): void;
  /** Idempotent. No callback follows. */
  close(): void;
}
