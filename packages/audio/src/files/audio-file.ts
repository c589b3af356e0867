import { RESAMPLER_RATES_HZ, type ResamplerRateHz } from "../resampler.ts";

/** A file that cannot be decoded. The message completes a sentence that begins with the file's name. */
export class AudioFileError extends Error {
  override readonly name = "AudioFileError";
}

/** For messages that say what to convert a file to. */
export const DECODED_FORMATS = "WAV, MP3, FLAC, Ogg (Opus or Vorbis) or WebM Opus";

/** Decoded sound, mixed to one channel. */
export interface MonoAudio {
  sampleRateHz: ResamplerRateHz;
  /** ±1. */
  samples: Float32Array;
}

/** Mixes decoded channels to one and rejects sound that is too long, so that memory stays bounded. */
export class MonoMixer {
  readonly #sampleRateHz: ResamplerRateHz;
  readonly #maxSeconds: number;
  readonly #samples: Float32Array;
  #length = 0;

  constructor(sampleRateHz: number, maxSeconds: number) {
    const rateHz = RESAMPLER_RATES_HZ.find((each) => each === sampleRateHz);
    if (rateHz === undefined)
      throw new AudioFileError(
        `has a sample rate of ${sampleRateHz} Hz: record it with 44100 or 48000 Hz (at least 8000)`,
      );
    this.#sampleRateHz = rateHz;
    this.#maxSeconds = maxSeconds;
    this.#samples = new Float32Array(Math.floor(maxSeconds * sampleRateHz));
  }

  /** Adds channels of equal length. */
  add(channels: readonly Float32Array[]): void {
    const length = channels[0]?.length ?? 0;
    if (this.#length + length > this.#samples.length)
      throw new AudioFileError(`is longer than ${this.#maxSeconds} seconds`);
    for (let at = 0; at < length; at++) {
      let sum = 0;
      for (const channel of channels) sum += channel[at] ?? 0;
      this.#samples[this.#length + at] = sum / channels.length;
    }
    this.#length += length;
  }

  finish(): MonoAudio {
    return { sampleRateHz: this.#sampleRateHz, samples: this.#samples.slice(0, this.#length) };
  }
}
