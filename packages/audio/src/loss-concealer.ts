/**
 * Loss concealment, similar to ITU-T Rec. G.711 Appendix I: the last pitch periods are repeated and fade; the
 * number of periods grows with the loss, to avoid buzzing. Unlike in Appendix I, no sound is delayed to prepare
 * the transition; the step at the start of the repetition is spread over a quarter of a period.
 */

/** Pitch range of Appendix I: 66 to 200 Hz; higher voices match at a multiple of their period. */
const MIN_PITCH_MS = 5;
const MAX_PITCH_MS = 15;
/** Length over which two periods are compared. */
const MATCH_MS = 20;
/** The number of repeated periods increases by one after each of these, up to three. */
const PERIOD_STEP_MS = 10;
const MAX_PERIODS = 3;
/** Loudness is constant for the first 10 ms, then falls linearly to zero at 60 ms. */
const FULL_LOUDNESS_MS = 10;
const SILENT_AFTER_MS = 60;
/** Cross-fade into the first good frame: 4 ms, plus 4 ms for each 10 ms lost, at most 10 ms. */
const SEAM_BASE_MS = 4;
const SEAM_STEP_MS = 4;
const MAX_SEAM_MS = 10;
const DEFAULT_FRAME_MS = 20;

/** Conceals lost frames of one speech stream. Adds no delay, and allocates only the returned samples. */
export class LossConcealer {
  readonly #samplesPerMs: number;
  readonly #history: Int16Array;
  /** Repeated periods, with the end faded into the start. */
  readonly #loop: Float64Array;
  #frameLength: number;
  #pitch = 0;
  #periods = 0;
  /** Next sample of `#loop`. */
  #loopPosition = 0;
  /** Samples concealed since the last good frame. */
  #concealed = 0;
  /** Difference between the last good sample and the repeated one at its position. */
  #step = 0;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#samplesPerMs = sampleRateHz / 1000;
    const longestPitch = MAX_PITCH_MS * this.#samplesPerMs;
    // Room for three periods, and the quarter before them into which the end is faded.
    this.#history = new Int16Array(Math.ceil(longestPitch * (MAX_PERIODS + 0.25)));
    this.#loop = new Float64Array(longestPitch * MAX_PERIODS);
    this.#frameLength = DEFAULT_FRAME_MS * this.#samplesPerMs;
  }

  /** Adds a received frame. After a loss, its first milliseconds are changed in place to smooth the transition. */
  good(pcm: Int16Array): void {
    if (pcm.length === 0) {
      return;
    }
    if (this.#concealed > 0) {
      this.#smoothSeam(pcm);
      this.#concealed = 0;
    }
    this.#frameLength = pcm.length;
    this.#remember(pcm);
  }

  /**
   * Returns sound in place of a missing frame.
   *
   * @param samples length of the gap; by default the length of the last good frame (20 ms before the first one).
   */
  conceal(samples = this.#frameLength): Int16Array {
    if (this.#concealed === 0) {
      this.#pitch = this.#findPitch();
      this.#prepareLoop(1);
      this.#step = this.#lastSample() - this.#sampleBeforeLoop();
      this.#loopPosition = 0;
    }
    const out = new Int16Array(samples);
    for (let i = 0; i < samples; i++) {
      out[i] = Math.round(this.#nextSample());
    }
    return out;
  }

  #remember(pcm: Int16Array): void {
    const history = this.#history;
    if (pcm.length >= history.length) {
      history.set(pcm.subarray(pcm.length - history.length));
    } else {
      history.copyWithin(0, pcm.length);
      history.set(pcm, history.length - pcm.length);
    }
  }

  #lastSample(): number {
    return this.#history[this.#history.length - 1] ?? 0;
  }

  #sampleBeforeLoop(): number {
    return this.#history[this.#history.length - this.#pitch - 1] ?? 0;
  }

  /** The lag, in samples, with the best match of the recent past to itself. */
  #findPitch(): number {
    const stride = this.#samplesPerMs / 4;
    const coarse = this.#bestLag(
      MIN_PITCH_MS * this.#samplesPerMs,
      MAX_PITCH_MS * this.#samplesPerMs,
      stride,
    );
    return this.#bestLag(
      Math.max(MIN_PITCH_MS * this.#samplesPerMs, coarse - stride),
      Math.min(MAX_PITCH_MS * this.#samplesPerMs, coarse + stride),
      1,
    );
  }

  #bestLag(first: number, last: number, stride: number): number {
    const history = this.#history;
    const start = history.length - MATCH_MS * this.#samplesPerMs;
    let best = first;
    let bestScore = -Infinity;
    for (let lag = first; lag <= last; lag += stride) {
      let correlation = 0;
      let energy = 1;
      for (let i = start; i < history.length; i += stride) {
        const earlier = history[i - lag] ?? 0;
        correlation += (history[i] ?? 0) * earlier;
        energy += earlier * earlier;
      }
      const score = correlation / Math.sqrt(energy);
      if (score > bestScore) {
        bestScore = score;
        best = lag;
      }
    }
    return best;
  }

  /** Fills the loop with the last `periods` periods; their last quarter is faded into the sound before them. */
  #prepareLoop(periods: number): void {
    const history = this.#history;
    const length = this.#pitch * periods;
    const overlap = Math.floor(this.#pitch / 4);
    const start = history.length - length;
    for (let i = 0; i < length; i++) {
      this.#loop[i] = history[start + i] ?? 0;
    }
    for (let i = 0; i < overlap; i++) {
      const at = length - overlap + i;
      const weight = (i + 1) / (overlap + 1);
      const before = history[start - overlap + i] ?? 0;
      this.#loop[at] = (1 - weight) * (this.#loop[at] ?? 0) + weight * before;
    }
    this.#periods = periods;
  }

  #nextSample(): number {
    const lostMs = this.#concealed / this.#samplesPerMs;
    this.#concealed++;
    if (lostMs >= SILENT_AFTER_MS) {
      return 0;
    }
    if (this.#loopPosition >= this.#pitch * this.#periods) {
      // Periods are added only when the loop is closed, so that there is no other transition.
      const wanted = Math.min(MAX_PERIODS, 1 + Math.floor(lostMs / PERIOD_STEP_MS));
      if (wanted !== this.#periods) {
        this.#prepareLoop(wanted);
      }
      this.#loopPosition = 0;
    }
    const spread = Math.max(0, 1 - (this.#concealed - 1) / (this.#pitch / 4));
    const fade = Math.min(1, (SILENT_AFTER_MS - lostMs) / (SILENT_AFTER_MS - FULL_LOUDNESS_MS));
    const sample = (this.#loop[this.#loopPosition++] ?? 0) + this.#step * spread;
    return Math.max(-32768, Math.min(32767, sample * fade));
  }

  #smoothSeam(pcm: Int16Array): void {
    const lostMs = this.#concealed / this.#samplesPerMs;
    const seamMs = Math.min(MAX_SEAM_MS, SEAM_BASE_MS + SEAM_STEP_MS * Math.floor(lostMs / 10));
    const length = Math.min(pcm.length, seamMs * this.#samplesPerMs);
    for (let i = 0; i < length; i++) {
      const weight = (i + 1) / (length + 1);
      pcm[i] = Math.round((1 - weight) * this.#nextSample() + weight * (pcm[i] ?? 0));
    }
  }
}
