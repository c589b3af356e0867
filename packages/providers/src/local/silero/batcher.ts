import type { SampleRateHz } from "@parley/conversation";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { shapes, stateWidth, type Stream } from "./stream.ts";

/** Larger batches save nothing more, and would hold the others up. */
const maxBatch = 64;
/**
 * How long a full window waits for those of other calls. The model runs on the calling thread, at 91 µs for a window
 * alone, 42 in a batch of 4 and 27 in one of 32 (measured): at 200 calls a few milliseconds save a third of a core.
 */
const gatherMs = 6;

export interface SileroStats {
  windows: number;
  batches: number;
  /** Windows that came while too many of their stream waited; reported to nobody. */
  droppedWindows: number;
}

/** The streams of one sample rate, which the model can hear together. */
export class Batcher {
  readonly #ort: typeof Ort;
  readonly #session: InferenceSession;
  readonly #rateTensor: Tensor;
  readonly #rowLength: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #stats: SileroStats;
  readonly #due = new Set<Stream>();
  /** Reused by every batch: only one is under way. */
  readonly #input: Float32Array;
  /** Its rows. */
  readonly #windows: readonly Float32Array[];
  readonly #state = new Float32Array(2 * maxBatch * stateWidth);
  readonly #probabilities = new Float32Array(maxBatch);
  readonly #nextState = new Float32Array(2 * maxBatch * stateWidth);
  readonly #streams: Stream[] = [];
  readonly #endSamples: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    ort: typeof Ort,
    session: InferenceSession,
    sampleRateHz: SampleRateHz,
    onFailure: (error: unknown) => void,
    stats: SileroStats,
  ) {
    this.#ort = ort;
    this.#session = session;
    this.#rateTensor = new ort.Tensor("int64", BigInt64Array.of(BigInt(sampleRateHz)), []);
    this.#rowLength = shapes[sampleRateHz].context + shapes[sampleRateHz].window;
    this.#input = new Float32Array(maxBatch * this.#rowLength);
    this.#windows = Array.from({ length: maxBatch }, (_, row) =>
      this.#input.subarray(row * this.#rowLength, (row + 1) * this.#rowLength),
    );
    this.#onFailure = onFailure;
    this.#stats = stats;
  }

  /** Windows that fill up within the next milliseconds go into one batch with this one. */
  readonly add = (stream: Stream): void => {
    this.#due.add(stream);
    this.#schedule();
  };

  /** Waits for the batch under way; there is no other. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    const isBusy = this.#timer !== undefined || this.#running !== undefined;
    if (this.#isClosed || isBusy || this.#due.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    }, gatherMs);
  }

  async #run(): Promise<void> {
    const count = this.#gather();
    if (count === 0) return;
    const { Tensor } = this.#ort;
    const input = this.#input.subarray(0, count * this.#rowLength);
    const state = this.#state.subarray(0, 2 * count * stateWidth);
    try {
      const feeds = {
        input: new Tensor("float32", input, [count, this.#rowLength]),
        state: new Tensor("float32", state, [2, count, stateWidth]),
        sr: this.#rateTensor,
      };
      // Results go where there is room already: memory outside of V8's heap that is new with every batch makes it collect.
      const results = {
        output: new Tensor("float32", this.#probabilities.subarray(0, count), [count, 1]),
        stateN: new Tensor("float32", this.#nextState.subarray(0, state.length), [2, count, stateWidth]),
      };
      await this.#session.run(feeds, results);
      this.#stats.batches += 1;
      this.#stats.windows += count;
      this.#scatter(this.#probabilities, this.#nextState);
    } catch (error) {
      for (const stream of this.#streams) stream.answer(undefined, 0);
      this.#onFailure(error);
    }
  }

  /** One window of each due stream: its next one needs the state that this one leaves. */
  #gather(): number {
    this.#streams.length = 0;
    this.#endSamples.length = 0;
    for (const stream of this.#due) {
      const window = this.#windows[this.#streams.length];
      if (window === undefined) break;
      this.#due.delete(stream);
      if (stream.isClosed) continue;
      this.#endSamples.push(stream.takeWindow(window));
      this.#streams.push(stream);
    }
    const count = this.#streams.length;
    for (let row = 0; row < count; row++) {
      const stream = this.#streams[row];
      if (stream === undefined) continue;
      if (stream.isDue) this.#due.add(stream);
      this.#state.set(stream.state.lower, row * stateWidth);
      this.#state.set(stream.state.upper, (count + row) * stateWidth);
    }
    return count;
  }

  #scatter(probabilities: Float32Array, states: Float32Array): void {
    const count = this.#streams.length;
    for (let row = 0; row < count; row++) {
      const stream = this.#streams[row];
      if (stream === undefined) continue;
      copyRow(states, row, stream.state.lower);
      copyRow(states, count + row, stream.state.upper);
      stream.answer(probabilities[row] ?? 0, this.#endSamples[row] ?? 0);
    }
  }
}

/** A loop and no `subarray`: two thousand views a second for every hundred calls are work for the collector. */
function copyRow(states: Float32Array, row: number, to: Float32Array): void {
  const start = row * stateWidth;
  for (let at = 0; at < stateWidth; at++) to[at] = states[start + at] ?? 0;
}
