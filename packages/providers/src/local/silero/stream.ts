import type { SampleRateHz, VoiceActivityOptions, VoiceActivityStream } from "@parley/conversation";

/** The model's window and what it wants to see again of the window before, in samples: 32 ms and 4 ms. */
export const shapes = {
  8000: { window: 256, context: 32 },
  16000: { window: 512, context: 64 },
} as const satisfies Record<SampleRateHz, { window: number; context: number }>;

/** Floats of a stream's state in each of the model's two layers. */
export const stateWidth = 128;
/** A quarter of a second: audio that old is of no use for turn-taking. */
const maxWaitingWindows = 8;
/** Root mean square, −55 dBFS: more softly nobody speaks into a microphone. */
const silenceLevel = 58;
/** So long a silence (half a second) leaves the model where more of it would leave it too: from there on it is not asked. */
const settledWindows = 16;

/** One stream's audio on its way to the model. Holds about 6 kB at 8 kHz, 10 kB at 16 kHz. */
export class Stream implements VoiceActivityStream {
  readonly shape: (typeof shapes)[SampleRateHz];
  readonly options: VoiceActivityOptions;
  /** The last samples of the window before. */
  readonly context: Float32Array;
  /** Of the model's two layers. */
  readonly state = { lower: new Float32Array(stateWidth), upper: new Float32Array(stateWidth) };
  readonly #samples: Int16Array;
  readonly #onDue: (stream: Stream) => void;
  readonly #onDropped: () => void;
  /** Counted from the first sample written; those between are waiting. */
  #written = 0;
  #read = 0;
  /** Silent windows in a row that the model has heard. */
  #silentWindows = 0;
  /** A window is with the model: what comes after it must not be told before. */
  #isAwaited = false;
  isClosed = false;

  constructor(options: VoiceActivityOptions, onDue: (stream: Stream) => void, onDropped: () => void) {
    this.options = options;
    this.shape = shapes[options.sampleRateHz];
    this.context = new Float32Array(this.shape.context);
    this.#samples = new Int16Array(this.shape.window * maxWaitingWindows);
    this.#onDue = onDue;
    this.#onDropped = onDropped;
  }

  get isDue(): boolean {
    return !this.isClosed && this.#written - this.#read >= this.shape.window;
  }

  write(pcm: Int16Array): void {
    if (this.isClosed) return;
    this.#store(pcm);
    const { length } = this.#samples;
    while (this.#written - this.#read > length) {
      this.#read += this.shape.window;
      this.#onDropped();
    }
    while (this.isDue && !this.#isAwaited && this.#silentWindows >= settledWindows && this.#isSilent()) {
      this.#skipWindow();
    }
    if (this.isDue) this.#onDue(this);
  }

  /**
   * Puts context and the oldest window into a row of the model's input.
   *
   * @returns the count of samples written when that window was full.
   */
  takeWindow(row: Float32Array): number {
    const { window, context } = this.shape;
    this.#silentWindows = this.#isSilent() ? this.#silentWindows + 1 : 0;
    this.#isAwaited = true;
    row.set(this.context);
    const start = this.#nextWindow;
    for (let at = 0; at < window; at++) row[context + at] = (this.#samples[start + at] ?? 0) / 32_768;
    this.#passWindow();
    return this.#read;
  }

  /** What the model says of the window that was taken last; undefined where it failed. */
  answer(probability: number | undefined, endSample: number): void {
    this.#isAwaited = false;
    if (probability !== undefined && !this.isClosed) this.options.onProbability(probability, endSample);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Where the oldest window begins. It lies in one piece: the room is a whole number of windows. */
  get #nextWindow(): number {
    return this.#read % this.#samples.length;
  }

  /** Copies the audio behind what waits, round the end of the buffer; of audio longer than that the last counts. */
  #store(pcm: Int16Array): void {
    const { length } = this.#samples;
    const kept = pcm.length > length ? pcm.subarray(pcm.length - length) : pcm;
    const slot = (this.#written + pcm.length - kept.length) % length;
    const room = length - slot;
    if (kept.length <= room) this.#samples.set(kept, slot);
    else {
      this.#samples.set(kept.subarray(0, room), slot);
      this.#samples.set(kept.subarray(room));
    }
    this.#written += pcm.length;
  }

  #isSilent(): boolean {
    const start = this.#nextWindow;
    const { window } = this.shape;
    let sum = 0;
    for (let at = start; at < start + window; at++) {
      const sample = this.#samples[at] ?? 0;
      sum += sample * sample;
    }
    return sum < silenceLevel ** 2 * window;
  }

  #skipWindow(): void {
    this.#passWindow();
    this.options.onProbability(0, this.#read);
  }

  /** The end of the oldest window is kept for the next one to begin with. */
  #passWindow(): void {
    const { window, context } = this.shape;
    const start = this.#nextWindow + window - context;
    for (let at = 0; at < context; at++) this.context[at] = (this.#samples[start + at] ?? 0) / 32_768;
    this.#read += window;
  }
}
