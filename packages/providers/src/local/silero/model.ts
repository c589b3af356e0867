import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { SampleRateHz } from "@parley/conversation";
import { shapes, STATE_WIDTH } from "./stream.ts";

/** Maximum batch size. Larger ones save nothing more and would delay the others. */
const MAX_BATCH = 64;

/** Shared memory of a batch on its way to the model and back, used by both threads in turn. */
export interface BatchRoom {
  /** One row per window, with its context before it. */
  input: Float32Array;
  /** State of the first layer for all rows, then of the second. */
  state: Float32Array;
  probabilities: Float32Array;
  nextState: Float32Array;
}

export interface ModelThreadData {
  modelPath: string;
  rooms: Readonly<Record<SampleRateHz, BatchRoom>>;
}

export interface ToModelThread {
  sampleRateHz: SampleRateHz;
  /** Number of rows filled. */
  count: number;
}

export type FromModelThread =
  | { type: "ready" }
  | { type: "heard"; sampleRateHz: SampleRateHz }
  | { type: "failed"; sampleRateHz: SampleRateHz; error: unknown };

/**
 * Silero in a thread of its own, so that its user (a media process with packets to send on time) never waits for a
 * batch. A thread ended by a fault is replaced with the next batch.
 */
export class SileroModel {
  /** `undefined` after a fault, until the next batch. */
  #worker: Worker | undefined;
  readonly #modelPath: string;
  readonly #rooms: ModelThreadData["rooms"];
  /** The batch of each rate that is under way. */
  readonly #underWay = new Map<SampleRateHz, PromiseWithResolvers<void>>();

  /** Rejects if the model cannot be loaded. */
  static async load(modelPath: string): Promise<SileroModel> {
    const rooms = { 8000: createRoom(8000), 16000: createRoom(16_000) };
    const worker = startThread({ modelPath, rooms });
    await once(worker, "message");
    return new SileroModel(worker, { modelPath, rooms });
  }

  private constructor(worker: Worker, { modelPath, rooms }: ModelThreadData) {
    this.#modelPath = modelPath;
    this.#rooms = rooms;
    this.#worker = this.#listen(worker);
    worker.unref();
  }

  room(sampleRateHz: SampleRateHz): BatchRoom {
    return this.#rooms[sampleRateHz];
  }

  /**
   * Processes the first `count` windows in the shared memory; only one batch of a rate may be under way. Rejects if the
   * model fails.
   */
  async hear(sampleRateHz: SampleRateHz, count: number): Promise<void> {
    const batch = Promise.withResolvers<void>();
    this.#underWay.set(sampleRateHz, batch);
    this.#worker ??= this.#listen(startThread({ modelPath: this.#modelPath, rooms: this.#rooms }));
    this.#worker.ref();
    this.#worker.postMessage({ sampleRateHz, count } satisfies ToModelThread);
    await batch.promise;
  }

  /** Must not be called during a batch: ending a thread while onnxruntime runs in it aborts the process. Idempotent. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #listen(worker: Worker): Worker {
    worker.on("message", (message: FromModelThread) => this.#receive(message));
    worker.on("error", (error) => {
      this.#worker = undefined;
      const lost = [...this.#underWay.values()];
      this.#underWay.clear();
      for (const batch of lost) batch.reject(error);
    });
    return worker;
  }

  #receive(message: FromModelThread): void {
    if (message.type === "ready") return;
    const batch = this.#underWay.get(message.sampleRateHz);
    this.#underWay.delete(message.sampleRateHz);
    if (this.#underWay.size === 0) this.#worker?.unref();
    if (message.type === "heard") batch?.resolve();
    else batch?.reject(message.error);
  }
}

function startThread(workerData: ModelThreadData): Worker {
  return new Worker(new URL("./model-thread.ts", import.meta.url), {
    workerData,
    execArgv: [],
    // The thread creates almost no garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
}

function createRoom(sampleRateHz: SampleRateHz): BatchRoom {
  const { context, window } = shapes[sampleRateHz];
  const shared = (length: number): Float32Array =>
    new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
  return {
    input: shared(MAX_BATCH * (context + window)),
    state: shared(2 * MAX_BATCH * STATE_WIDTH),
    probabilities: shared(MAX_BATCH),
    nextState: shared(2 * MAX_BATCH * STATE_WIDTH),
  };
}
