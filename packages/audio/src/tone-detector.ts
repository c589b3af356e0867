import { Fourier } from "./fourier.ts";

const FRAME_MS = 20;
/** Two frames: short enough for a beep, long enough to tell a tone from two harmonics of a low voice. */
const WINDOW_FRAMES = 2;
/** Half the width of a tone's peak in a Hann window, in bins of 25 Hz. */
const PEAK_BINS = 2;
const MIN_HZ = 350;
const MAX_HZ = 2_600;
/** Share of a window's energy in its strongest peak; a tone has so much from about 6 dB above the noise. */
const MIN_PEAK_SHARE = 0.8;
/** Change of a tone's frequency between windows. Voices change more. */
const MAX_DRIFT_HZ = 14;
/** Change of a tone's level between windows, in dB. */
const MAX_STEP_DB = 3;
/** Frames below this level (−45 dBFS) are not analyzed. */
const MIN_LEVEL = 32_768 * 10 ** (-45 / 20);
/** Length from which a tone is reported. Sung-like vowels of synthesized voices reach 140 ms. */
const MIN_TONE_MS = 160;
/** Length at which it is reported again; a fax machine's tones reach it, most beeps do not. */
const LONG_TONE_MS = 320;

/** A single steady frequency. */
export interface Tone {
  frequencyHz: number;
  durationMs: number;
  /** Whether it has ended; otherwise it continues. */
  isOver: boolean;
}

interface Steady {
  frequencyHz: number;
  levelDb: number;
  frames: number;
}

/**
 * Finds beeps and the tones of fax machines by their spectrum. Speech, music, noise and keypad tones, which consist of two
 * frequencies, are none.
 */
export class ToneDetector {
  readonly #onTone: (tone: Tone) => void;
  readonly #frameSamples: number;
  readonly #fourier: Fourier;
  readonly #window: Float64Array;
  readonly #recent: Int16Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  readonly #power: Float64Array;
  readonly #binHz: number;
  /** Whether the frame before the last one was loud enough. */
  #wasLoud = false;
  #steady: Steady | undefined;

  /** @param onTone Receives each tone when it is recognized, when it becomes long, and when it ends. */
  constructor(sampleRateHz: 8000 | 16000, onTone: (tone: Tone) => void) {
    this.#onTone = onTone;
    this.#frameSamples = (FRAME_MS * sampleRateHz) / 1000;
    const length = this.#frameSamples * WINDOW_FRAMES;
    this.#fourier = new Fourier(length);
    this.#window = Float64Array.from(
      { length },
      (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / length),
    );
    this.#recent = new Int16Array(length);
    this.#re = new Float64Array(length);
    this.#im = new Float64Array(length);
    this.#power = new Float64Array(length / 2);
    this.#binHz = sampleRateHz / length;
  }

  /** Takes 20 ms of audio. The buffer may be reused after return. */
  write(pcm: Int16Array): void {
    this.#recent.copyWithin(0, this.#frameSamples);
    this.#recent.set(pcm, this.#frameSamples);
    const isLoud = levelOf(pcm) >= MIN_LEVEL;
    const found = isLoud && this.#wasLoud ? this.#analyze() : undefined;
    this.#wasLoud = isLoud;
    this.#follow(found);
  }

  /** Finds the window's only frequency; `undefined` if it has several, or noise. */
  #analyze(): Steady | undefined {
    for (let at = 0; at < this.#recent.length; at++)
      this.#re[at] = (this.#recent[at] ?? 0) * (this.#window[at] ?? 0);
    const { re, im } = this.#fourier.transform(this.#re, this.#im);
    let total = 0;
    let peak = 1;
    for (let bin = 1; bin < this.#power.length; bin++) {
      const power = (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2;
      this.#power[bin] = power;
      total += power;
      if (power > (this.#power[peak] ?? 0)) peak = bin;
    }
    let near = 0;
    let moment = 0;
    for (let bin = Math.max(1, peak - PEAK_BINS); bin <= peak + PEAK_BINS; bin++) {
      const power = this.#power[bin] ?? 0;
      near += power;
      moment += power * bin;
    }
    const frequencyHz = (moment / near) * this.#binHz;
    const isTone = near >= MIN_PEAK_SHARE * total && frequencyHz >= MIN_HZ && frequencyHz <= MAX_HZ;
    return isTone ? { frequencyHz, levelDb: 10 * Math.log10(near), frames: WINDOW_FRAMES } : undefined;
  }

  #follow(found: Steady | undefined): void {
    const steady = this.#steady;
    if (steady !== undefined && found !== undefined && isSame(steady, found)) {
      const frames = steady.frames + 1;
      this.#steady = { ...found, frames };
      const durationMs = frames * FRAME_MS;
      if (durationMs === MIN_TONE_MS || durationMs === LONG_TONE_MS) this.#report(false);
      return;
    }
    if (steady !== undefined && steady.frames * FRAME_MS >= MIN_TONE_MS) this.#report(true);
    this.#steady = found;
  }

  #report(isOver: boolean): void {
    if (this.#steady === undefined) return;
    const { frequencyHz, frames } = this.#steady;
    this.#onTone({ frequencyHz: Math.round(frequencyHz), durationMs: frames * FRAME_MS, isOver });
  }
}

function isSame(before: Steady, now: Steady): boolean {
  return (
    Math.abs(now.frequencyHz - before.frequencyHz) <= MAX_DRIFT_HZ &&
    Math.abs(now.levelDb - before.levelDb) <= MAX_STEP_DB
  );
}

function levelOf(pcm: Int16Array): number {
  let sum = 0;
  for (let at = 0; at < pcm.length; at++) sum += (pcm[at] ?? 0) ** 2;
  return Math.sqrt(sum / Math.max(1, pcm.length));
}
