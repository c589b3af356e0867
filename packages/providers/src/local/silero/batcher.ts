import type { SampleRateHz } from "@parley/conversation";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { shapes, stateWidth, type Stream } from "./stream.ts";

/** Larger batches save nothing more, and would hold the others up. */
const maxBatch = 64;

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
  readonly #state = new Float32Array(2 * maxBatch * stateWidth);
  readonly #streams: Stream[] = [];
  readonly #endSamples: number[] = [];
  #isScheduled = false;
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
    this.#onFailure = onFailure;
    this.#stats = stats;
  }

  /** Everything written in the same turn of the event loop (one phase of the media wheel) goes into one batch. */
  readonly add = (stream: Stream): void => {
    this.#due.add(stream);
    this.#schedule();
  };

  /** Waits for the batch under way; there is no other. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #schedule(): void {
    if (this.#isClosed || this.#isScheduled || this.#running !== undefined || this.#due.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isClosed) return;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    });
  }

  async #run(): Promise<void> {
    const count = this.#gather();
    if (count === 0) return;
    const { Tensor } = this.#ort;
    const input = this.#input.subarray(0, count * this.#rowLength);
    const state = this.#state.subarray(0, 2 * count * stateWidth);
    try {
      const { output, stateN } = await this.#session.run({
        input: new Tensor("float32", input, [count, this.#rowLength]),
        state: new Tensor("float32", state, [2, count, stateWidth]),
        sr: this.#rateTensor,
      });
      if (!(output?.data instanceof Float32Array && stateN?.data instanceof Float32Array)) {
        throw new TypeError("the model has no float32 outputs output and stateN");
      }
      this.#stats.batches += 1;
      this.#stats.windows += count;
      this.#scatter(output.data, stateN.data);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** One window of each due stream: its next one needs the state that this one leaves. */
  #gather(): number {
    this.#streams.length = 0;
    this.#endSamples.length = 0;
    for (const stream of this.#due) {
      const row = this.#streams.length;
      if (row === maxBatch) break;
      this.#due.delete(stream);
      if (stream.isClosed) continue;
      const start = row * this.#rowLength;
      this.#endSamples.push(stream.takeWindow(this.#input.subarray(start, start + this.#rowLength)));
      this.#streams.push(stream);
    }
    const count = this.#streams.length;
    for (const [row, stream] of this.#streams.entries()) {
      if (stream.isDue) this.#due.add(stream);
      const { state } = stream;
      this.#state.set(state.subarray(0, stateWidth), row * stateWidth);
      this.#state.set(state.subarray(stateWidth), (count + row) * stateWidth);
    }
    return count;
  }

  #scatter(probabilities: Float32Array, states: Float32Array): void {
    const count = this.#streams.length;
    for (const [row, stream] of this.#streams.entries()) {
      const upper = (count + row) * stateWidth;
      stream.state.set(states.subarray(row * stateWidth, (row + 1) * stateWidth));
      stream.state.set(states.subarray(upper, upper + stateWidth), stateWidth);
      if (!stream.isClosed) stream.options.onProbability(probabilities[row] ?? 0, this.#endSamples[row] ?? 0);
    }
  }
}
