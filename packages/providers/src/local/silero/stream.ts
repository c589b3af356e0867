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
    const { length } = this.#samples;
    let slot = this.#written % length;
    for (const sample of pcm) {
      this.#samples[slot] = sample;
      slot = slot + 1 === length ? 0 : slot + 1;
    }
    this.#written += pcm.length;
    while (this.#written - this.#read > length) {
      this.#read += this.shape.window;
      this.#onDropped();
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
    row.set(this.context);
    // A window lies in one piece: the room is a whole number of windows.
    const start = this.#read % this.#samples.length;
    for (let at = 0; at < window; at++) row[context + at] = (this.#samples[start + at] ?? 0) / 32_768;
    for (let at = 0; at < context; at++) this.context[at] = row[window + at] ?? 0;
    this.#read += window;
    return this.#read;
  }

  close(): void {
    this.isClosed = true;
  }
}
