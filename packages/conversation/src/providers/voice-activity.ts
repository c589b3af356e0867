import type { SampleRateHz } from "./speech-to-text.ts";

export interface VoiceActivityDetector {
  open(options: VoiceActivityOptions): VoiceActivityStream;
}

export interface VoiceActivityOptions {
  sampleRateHz: SampleRateHz;
  /**
   * One call per analyzed window of 32 ms, in order: the probability (0–1) that it holds speech, and the
   * count of samples written when the window was full. May come later than the write that filled it.
   */
  onProbability: (probability: number, endSample: number) => void;
}

export interface VoiceActivityStream {
  write(pcm: Int16Array): void;
  /** Idempotent. No callback follows. */
  close(): void;
}
