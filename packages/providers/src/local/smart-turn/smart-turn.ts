import path from "node:path";
import { Resampler } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession } from "onnxruntime-node";
import type { JobLoad } from "../inference/job-load.ts";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { bands, frames, logMelFeatures } from "./log-mel.ts";

export interface LoadSmartTurnOptions {
  /** What `ensureModels` returned. */
  modelsDir: string;
}

/** The end-of-turn model, loaded once for all calls. */
export interface SmartTurn {
  readonly name: string;
  /**
   * The probability that who has just fallen silent has finished, as far as can be heard from how he spoke.
   *
   * @param pcm mono, 16 kHz: the turn with some of the silence after it (it was trained on 200 ms); of a longer one the last 8 s count.
   */
  predict(pcm: Int16Array): Promise<number>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** One that waits longer comes too late for its pause. */
const maxWaiting = 16;

class OnnxSmartTurn implements SmartTurn {
  readonly name = "local/smart-turn";
  readonly #ort: typeof Ort;
  readonly #session: InferenceSession;
  #isClosed = false;

  constructor(ort: typeof Ort, session: InferenceSession) {
    this.#ort = ort;
    this.#session = session;
  }

  async predict(pcm: Int16Array): Promise<number> {
    const features = new this.#ort.Tensor("float32", logMelFeatures(pcm), [1, bands, frames]);
    // The model's last step makes a probability of it, whatever the name says.
    const { logits } = await this.#session.run({ input_features: features });
    const probability = logits?.data[0];
    if (typeof probability !== "number") throw new TypeError("the model has no float32 output logits");
    return probability;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }
}

const SOURCE = path.join("smart-turn", "smart-turn-v3.2-cpu.onnx");

/** Loads Smart Turn v3.2 (BSD-2-Clause, 8-bit) from the file of the group `smart-turn`. */
export async function loadSmartTurn({ modelsDir }: LoadSmartTurnOptions): Promise<SmartTurn> {
  const ort = await import("onnxruntime-node");
  const session = await openPreparedModel({
    modelsDir,
    name: "smart-turn",
    source: SOURCE,
    recipe: "as it is",
    make: async () => path.join(modelsDir, SOURCE),
    session: { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 },
  });
  return new OnnxSmartTurn(ort, session);
}

/** Serves `predictTurnEnd` with one model: a pause at a time, the newer one of a call first to be kept. */
export function createTurnEndHandler(
  model: SmartTurn,
  load?: JobLoad,
): NonNullable<InferenceHandlers["predictTurnEnd"]> {
  const queue = new JobQueue({ provider: model.name, maxWaiting, ...(load && { load }) });
  return async ({ pcm, sampleRateHz, streamId }, { signal }) =>
    await queue.run({ priority: "turn", streamId, isReplaceable: true, signal }, async () => {
      if (sampleRateHz !== 8000 && sampleRateHz !== 16_000) {
        const message = `audio of ${sampleRateHz} Hz`;
        throw new ProviderError({ provider: model.name, kind: "status", message, isRetryable: false });
      }
      const pcm16k = new Resampler(sampleRateHz, 16_000).process(pcm);
      return { probability: await model.predict(pcm16k) };
    });
}
