import { type RecordingRateHz, SPOOL_RATE_HZ } from "./recording-format.ts";

const FRAMES_PER_SECOND = 50;
/** What may still come behind the latest place: packets of both sides are noted in the same 20 ms. */
const SLACK_SECONDS = 0.2;
/** The longest stretch of sound that one packet may hold, and some. */
const WINDOW_SECONDS = 2;

/** Where two voices come together in time: sound goes in at its place, even frames of left and right come out, silence in between. */
export class StereoTimeline {
  readonly #rateHz: RecordingRateHz;
  readonly #frameSamples: number;
  readonly #onFrame: (interleaved: Int16Array) => void;
  /** Ring of the window, interleaved. */
  readonly #window: Int16Array;
  readonly #windowSamples: number;
  readonly #frame: Int16Array;
  /** How far frames have come out, and how far sound has come in. */
  #emitted = 0;
  #length = 0;

  /** @param onFrame Gets 20 ms at a time; the array is used again for the next. */
  constructor(rateHz: RecordingRateHz, onFrame: (interleaved: Int16Array) => void) {
    this.#rateHz = rateHz;
    this.#frameSamples = rateHz / FRAMES_PER_SECOND;
    this.#windowSamples = WINDOW_SECONDS * rateHz;
    this.#window = new Int16Array(2 * this.#windowSamples);
    this.#frame = new Int16Array(2 * this.#frameSamples);
    this.#onFrame = onFrame;
  }

  /**
   * @param channel 0 left, 1 right.
   * @param at In samples of 48 kHz; what lies more than 0.2 s before the latest place is too late and left out.
   */
  place(channel: 0 | 1, at: number, pcm: Int16Array): void {
    const start = this.reach(at);
    const end = Math.min(start + pcm.length, this.#emitted + this.#windowSamples);
    for (let index = Math.max(start, this.#emitted); index < end; index++) {
      this.#window[2 * (index % this.#windowSamples) + channel] = pcm[index - start] ?? 0;
    }
    this.#length = Math.max(this.#length, end);
  }

  /** The recording lasts at least until here. Returns the place in samples of the recording. */
  reach(at: number): number {
    const place = Math.round((at * this.#rateHz) / SPOOL_RATE_HZ);
    this.#length = Math.max(this.#length, place);
    this.#emitUntil(place - SLACK_SECONDS * this.#rateHz);
    return place;
  }

  /** Lets out what is left; returns how many samples there were. The last frame may be longer than they are. */
  end(): number {
    this.#emitUntil(this.#length + this.#frameSamples - 1);
    return this.#length;
  }

  #emitUntil(place: number): void {
    while (this.#emitted + this.#frameSamples <= place) {
      const start = 2 * (this.#emitted % this.#windowSamples);
      const part = this.#window.subarray(start, start + 2 * this.#frameSamples);
      this.#frame.set(part);
      part.fill(0);
      this.#emitted += this.#frameSamples;
      this.#onFrame(this.#frame);
    }
  }
}
