/**
 * How a lost stretch is filled, after the idea of ITU-T Rec. G.711 Appendix I: the last pitch periods are
 * repeated, more of them the longer the loss lasts so that it does not buzz, and fade. Unlike Appendix I nothing
 * is held back to prepare the seam, so that no delay is added; the step where repetition begins is spread
 * over a quarter of a period.
 */

/** Pitch of voices: 66 to 200 Hz, as Appendix I searches it; higher voices match at a multiple of their period. */
const PITCH_MIN_MS = 5;
const PITCH_MAX_MS = 15;
/** Stretch over which two periods are compared. */
const MATCH_MS = 20;
/** The number of repeated periods grows by one with each of these, up to three. */
const PERIOD_STEP_MS = 10;
const MAX_PERIODS = 3;
/** Loudness is kept for the first 10 ms, then falls in a line to nothing at 60 ms. */
const FULL_LOUDNESS_MS = 10;
const SILENT_AFTER_MS = 60;
/** Cross-fade into the first good frame: 4 ms and 4 ms more for each 10 ms lost, at most 10 ms. */
const SEAM_BASE_MS = 4;
const SEAM_STEP_MS = 4;
const SEAM_MAX_MS = 10;
const DEFAULT_FRAME_MS = 20;

/** Conceals lost frames of one stream of speech. No delay is added, and nothing is allocated but what is returned. */
export class LossConcealer {
  readonly #samplesPerMs: number;
  readonly #history: Int16Array;
  /** Repeated periods, prepared so that the end runs into the beginning. */
  readonly #loop: Float64Array;
  #frameLength: number;
  #pitch = 0;
  #periods = 0;
  /** Next sample of `#loop`. */
  #loopPosition = 0;
  /** Samples concealed since the last good frame. */
  #concealed = 0;
  /** Difference between the last good sample and what repetition would have put there. */
  #step = 0;

  constructor(sampleRateHz: 8000 | 16000) {
    this.#samplesPerMs = sampleRateHz / 1000;
    const longestPitch = PITCH_MAX_MS * this.#samplesPerMs;
    // The loop of three periods and the quarter before it that its end is faded into.
    this.#history = new Int16Array(Math.ceil(longestPitch * (MAX_PERIODS + 0.25)));
    this.#loop = new Float64Array(longestPitch * MAX_PERIODS);
    this.#frameLength = DEFAULT_FRAME_MS * this.#samplesPerMs;
  }

  /** Takes a frame that arrived. After a loss its first milliseconds are changed, in place, to smooth the seam. */
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
   * Gives sound in place of a frame that did not arrive.
   *
   * @param samples Length of the gap; by default that of the last good frame (20 ms before any came).
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

  /** The lag, in samples, at which the recent past looks most like itself. */
  #findPitch(): number {
    const stride = this.#samplesPerMs / 4;
    const coarse = this.#bestLag(
      PITCH_MIN_MS * this.#samplesPerMs,
      PITCH_MAX_MS * this.#samplesPerMs,
      stride,
    );
    return this.#bestLag(
      Math.max(PITCH_MIN_MS * this.#samplesPerMs, coarse - stride),
      Math.min(PITCH_MAX_MS * this.#samplesPerMs, coarse + stride),
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

  /** Fills the loop with the last `periods` periods; their last quarter is faded into what came before them. */
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
      // More periods are taken only where the loop is closed anyway, so that no other seam arises.
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
    const seamMs = Math.min(SEAM_MAX_MS, SEAM_BASE_MS + SEAM_STEP_MS * Math.floor(lostMs / 10));
    const length = Math.min(pcm.length, seamMs * this.#samplesPerMs);
    for (let i = 0; i < length; i++) {
      const weight = (i + 1) / (length + 1);
      pcm[i] = Math.round((1 - weight) * this.#nextSample() + weight * (pcm[i] ?? 0));
    }
  }
}
