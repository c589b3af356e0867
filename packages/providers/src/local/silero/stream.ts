import type { SampleRateHz, VoiceActivityOptions, VoiceActivityStream } from "@parley/conversation";

/** The model's window (32 ms) and the part of the previous window that it needs again (4 ms), in samples. */
export const shapes = {
  8000: { window: 256, context: 32 },
  16000: { window: 512, context: 64 },
} as const satisfies Record<SampleRateHz, { window: number; context: number }>;

/** Floats of a stream's state in each of the model's two layers. */
export const STATE_WIDTH = 128;
/** A quarter of a second: older audio is useless for turn-taking. */
const MAX_WAITING_WINDOWS = 8;
/** Root mean square of −55 dBFS, below any speech into a microphone. */
const SILENCE_LEVEL = 58;
/**
 * Windows of silence (half a second) after which more silence does not change the model's state, so that it is not run.
 */
const SETTLED_WINDOWS = 16;

/** One stream's audio on its way to the model. Uses about 6 kB at 8 kHz, 10 kB at 16 kHz. */
export class Stream implements VoiceActivityStream {
  readonly shape: (typeof shapes)[SampleRateHz];
  readonly options: VoiceActivityOptions;
  /** The last samples of the previous window. */
  readonly context: Float32Array;
  /** State of the model's two layers. */
  readonly state = { lower: new Float32Array(STATE_WIDTH), upper: new Float32Array(STATE_WIDTH) };
  readonly #samples: Int16Array;
  readonly #onDue: (stream: Stream) => void;
  readonly #onDropped: () => void;
  /** Sample counts from the start of the stream; the samples between the two are waiting. */
  #written = 0;
  #read = 0;
  /** Consecutive silent windows that the model has processed. */
  #silentWindows = 0;
  /** A window is being processed: later results must not be reported before it. */
  #isAwaited = false;
  isClosed = false;

  constructor(options: VoiceActivityOptions, onDue: (stream: Stream) => void, onDropped: () => void) {
    this.options = options;
    this.shape = shapes[options.sampleRateHz];
    this.context = new Float32Array(this.shape.context);
    this.#samples = new Int16Array(this.shape.window * MAX_WAITING_WINDOWS);
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
    while (this.isDue && !this.#isAwaited && this.#silentWindows >= SETTLED_WINDOWS && this.#isSilent()) {
      this.#skipWindow();
    }
    if (this.isDue) this.#onDue(this);
  }

  /**
   * Copies the context and the oldest window into a row of the model's input.
   *
   * @returns The number of samples written when that window was full.
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

  /** Takes the model's result for the last window taken; `undefined` if it failed. */
  answer(probability: number | undefined, endSample: number): void {
    this.#isAwaited = false;
    if (probability !== undefined && !this.isClosed) this.options.onProbability(probability, endSample);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Start of the oldest window, which is contiguous: the buffer is a whole number of windows. */
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
    return sum < SILENCE_LEVEL ** 2 * window;
  }

  #skipWindow(): void {
    this.#passWindow();
    this.options.onProbability(0, this.#read);
  }

  /** Keeps the end of the oldest window as the context of the next one. */
  #passWindow(): void {
    const { window, context } = this.shape;
    const start = this.#nextWindow + window - context;
    for (let at = 0; at < context; at++) this.context[at] = (this.#samples[start + at] ?? 0) / 32_768;
    this.#read += window;
  }
}
