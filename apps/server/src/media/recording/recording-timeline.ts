import { type RecordingRateHz, SPOOL_RATE_HZ } from "./recording-format.ts";

const FRAMES_PER_SECOND = 50;
/** How far behind the latest position audio may be added. Both sides' packets are recorded within the same 20 ms. */
const SLACK_SECONDS = 0.2;
/** More than the audio of the longest packet. */
const WINDOW_SECONDS = 2;

/** Aligns two voices: audio is added at its position, and stereo frames come out evenly, with silence in the gaps. */
export class StereoTimeline {
  readonly #rateHz: RecordingRateHz;
  readonly #frameSamples: number;
  readonly #onFrame: (interleaved: Int16Array) => void;
  /** Ring buffer of the window, interleaved. */
  readonly #window: Int16Array;
  readonly #windowSamples: number;
  readonly #frame: Int16Array;
  /** End of the frames emitted, and end of the audio added. */
  #emitted = 0;
  #length = 0;

  /** @param onFrame Called with 20 ms at a time. The array is reused. */
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
   * @param at Position in samples at 48 kHz. Audio more than 0.2 s before the latest position is dropped.
   */
  place(channel: 0 | 1, at: number, pcm: Int16Array): void {
    const start = this.reach(at);
    const end = Math.min(start + pcm.length, this.#emitted + this.#windowSamples);
    for (let index = Math.max(start, this.#emitted); index < end; index++) {
      this.#window[2 * (index % this.#windowSamples) + channel] = pcm[index - start] ?? 0;
    }
    this.#length = Math.max(this.#length, end);
  }

  /** Extends the recording to this position. Returns the position in samples of the recording. */
  reach(at: number): number {
    const place = Math.round((at * this.#rateHz) / SPOOL_RATE_HZ);
    this.#length = Math.max(this.#length, place);
    this.#emitUntil(place - SLACK_SECONDS * this.#rateHz);
    return place;
  }

  /** Emits the rest and returns the total number of samples. The last frame is padded. */
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
