import type { SampleRateHz } from "./speech-to-text.ts";

/** Takes what is no speech out of audio. */
export interface NoiseSuppressor {
  open(options: { sampleRateHz: SampleRateHz }): NoiseSuppressionStream;
}

/** The suppressor of one call. It may be left out of parts of the call: what it knows of the noise ages, no more. */
export interface NoiseSuppressionStream {
  /** Takes 20 ms of mono PCM and returns as much, a few milliseconds later and without the noise. Both are the caller's. */
  process(pcm: Int16Array): Int16Array;
  /** Idempotent. */
  close(): void;
}
