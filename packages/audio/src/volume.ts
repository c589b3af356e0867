/** Highest sample that leaves: below full scale, because encoders and resamplers overshoot. */
const CEILING = 30_000;
/** Time in which the gain falls for a peak; louder samples in it are cut. */
const ATTACK_MS = 1;
/** Largest rise of the gain per frame of 20 ms, as a factor: 1 dB. */
const RELEASE_FACTOR = 1.122;

/** Gain for frames of 20 ms, with a limiter: louder speech is held back instead of being cut. */
export class Volume {
  readonly #gain: number;
  readonly #attackSamples: number;
  #current: number;

  constructor(sampleRateHz: number, gain: number) {
    this.#gain = gain;
    this.#current = gain;
    this.#attackSamples = (ATTACK_MS * sampleRateHz) / 1000;
  }

  /** Returns the frame with the gain applied: the same one if there is nothing to change. */
  apply(frame: Int16Array): Int16Array {
    if (this.#gain === 1) return frame;
    const from = this.#current;
    const to = Math.min(this.#limitFor(frame), Math.max(from, 1e-3) * RELEASE_FACTOR, this.#gain);
    const span = to < from ? this.#attackSamples : frame.length;
    this.#current = to;
    return frame.map((sample, at) => {
      const gain = at >= span ? to : from + ((to - from) * at) / span;
      return Math.max(-CEILING, Math.min(CEILING, Math.round(sample * gain)));
    });
  }

  /** Largest gain with which no sample of the frame exceeds the ceiling. */
  #limitFor(frame: Int16Array): number {
    let peak = 1;
    for (const sample of frame) peak = Math.max(peak, Math.abs(sample));
    return CEILING / peak;
  }
}
