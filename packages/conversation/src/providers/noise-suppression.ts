import type { SampleRateHz } from "./speech-to-text.ts";

/** Removes noise from speech. */
export interface NoiseSuppressor {
  open(options: { sampleRateHz: SampleRateHz }): NoiseSuppressionStream;
}

/** The suppressor of one call. It may skip parts of the call: its estimate of the noise then becomes older. */
export interface NoiseSuppressionStream {
  /**
   * Takes 20 ms of mono PCM and returns as much, delayed by a few milliseconds and without the noise. The caller owns
   * both buffers.
   */
  process(pcm: Int16Array): Int16Array;
  /** Idempotent. */
  close(): void;
}
