import type { SampleRateHz } from "@parley/conversation";
import type { BatchRoom, SileroModel } from "./model.ts";
import { shapes, STATE_WIDTH, type Stream } from "./stream.ts";

/**
 * Maximum time that a full window waits for those of other calls. The model takes 58 µs for a single window, 20 µs each
 * in a batch of 4 and 9 µs in one of 32 (measured): at 200 calls a few milliseconds save a fifth of a core.
 */
const MAX_GATHER_MS = 6;

export interface SileroStats {
  windows: number;
  batches: number;
  /** Windows dropped without a result because too many of their stream were waiting. */
  droppedWindows: number;
}

/** The streams of one sample rate, which the model processes together. */
export class Batcher {
  readonly #model: SileroModel;
  readonly #sampleRateHz: SampleRateHz;
  readonly #onFailure: (error: unknown) => void;
  readonly #stats: SileroStats;
  readonly #due = new Set<Stream>();
  /** Reused by every batch, because only one is under way. */
  readonly #room: BatchRoom;
  /** The rows of its input. */
  readonly #windows: readonly Float32Array[];
  readonly #streams: Stream[] = [];
  readonly #endSamples: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Number of windows in the last batch; after a batch of one there is no call to wait for. */
  #lastCount = 1;
  #isClosed = false;

  constructor(
    model: SileroModel,
    sampleRateHz: SampleRateHz,
    onFailure: (error: unknown) => void,
    stats: SileroStats,
  ) {
    this.#model = model;
    this.#sampleRateHz = sampleRateHz;
    this.#onFailure = onFailure;
    this.#stats = stats;
    this.#room = model.room(sampleRateHz);
    const rowLength = shapes[sampleRateHz].context + shapes[sampleRateHz].window;
    this.#windows = Array.from({ length: this.#room.probabilities.length }, (_, row) =>
      this.#room.input.subarray(row * rowLength, (row + 1) * rowLength),
    );
  }

  /** Windows that fill up within the next milliseconds join the batch of this one. */
  readonly add = (stream: Stream): void => {
    this.#due.add(stream);
    this.#schedule();
  };

  /** Waits for the batch under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    const isBusy = this.#timer !== undefined || this.#running !== undefined;
    if (this.#isClosed || isBusy || this.#due.size === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#running = this.#run().finally(() => {
          this.#running = undefined;
          this.#schedule();
        });
      },
      Math.min(MAX_GATHER_MS, this.#lastCount),
    );
  }

  async #run(): Promise<void> {
    const count = this.#gather();
    if (count === 0) return;
    this.#lastCount = count;
    try {
      await this.#model.hear(this.#sampleRateHz, count);
      this.#stats.batches += 1;
      this.#stats.windows += count;
      this.#scatter(this.#room);
    } catch (error) {
      for (const stream of this.#streams) stream.answer(undefined, 0);
      this.#onFailure(error);
    }
  }

  /** Takes one window of each due stream: its next one needs the state that this one leaves. */
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
      this.#room.state.set(stream.state.lower, row * STATE_WIDTH);
      this.#room.state.set(stream.state.upper, (count + row) * STATE_WIDTH);
    }
    return count;
  }

  #scatter({ probabilities, nextState }: BatchRoom): void {
    const count = this.#streams.length;
    for (let row = 0; row < count; row++) {
      const stream = this.#streams[row];
      if (stream === undefined) continue;
      copyRow(nextState, row, stream.state.lower);
      copyRow(nextState, count + row, stream.state.upper);
      stream.answer(probabilities[row] ?? 0, this.#endSamples[row] ?? 0);
    }
  }
}

/**
 * Copies in a loop without `subarray`, because two thousand views per second and hundred calls burden the garbage
 * collector.
 */
function copyRow(states: Float32Array, row: number, to: Float32Array): void {
  const start = row * STATE_WIDTH;
  for (let at = 0; at < STATE_WIDTH; at++) to[at] = states[start + at] ?? 0;
}
