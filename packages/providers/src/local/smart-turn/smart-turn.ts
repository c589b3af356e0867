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
  /** Folder returned by `ensureModels`. */
  modelsDir: string;
}

/** The end-of-turn model, loaded once for all calls. */
export interface SmartTurn {
  readonly name: string;
  /**
   * Probability that a speaker who has just fallen silent has finished, judged by sound.
   *
   * @param pcm Mono, 16 kHz: the turn with some of the silence after it (200 ms in training); only the last 8 s count.
   */
  predict(pcm: Int16Array): Promise<number>;
  /** Runs once: the first run takes nearly twice the time of later ones. */
  warmUp(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

const SAMPLE_RATE_HZ = 16_000;
/** A request that waits longer would be too late for its pause. */
const MAX_WAITING = 16;

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
    // Despite its name this output is a probability, computed in the model's last step.
    const { logits } = await this.#session.run({ input_features: features });
    const probability = logits?.data[0];
    if (typeof probability !== "number") throw new TypeError("the model has no float32 output logits");
    return probability;
  }

  async warmUp(): Promise<void> {
    await this.predict(new Int16Array(SAMPLE_RATE_HZ));
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

/**
 * Serves `predictTurnEnd` with one model: one pause at a time. A newer pause of a call replaces a waiting one.
 */
export function createTurnEndHandler(
  model: SmartTurn,
  load?: JobLoad,
): NonNullable<InferenceHandlers["predictTurnEnd"]> {
  const queue = new JobQueue({ provider: model.name, maxWaiting: MAX_WAITING, ...(load && { load }) });
  return async ({ pcm, sampleRateHz, streamId }, { signal }) =>
    await queue.run({ priority: "turn", streamId, isReplaceable: true, signal }, async () => {
      if (sampleRateHz !== 8000 && sampleRateHz !== SAMPLE_RATE_HZ) {
        const message = `audio of ${sampleRateHz} Hz`;
        throw new ProviderError({ provider: model.name, kind: "status", message, isRetryable: false });
      }
      const pcm16k = new Resampler(sampleRateHz, SAMPLE_RATE_HZ).process(pcm);
      return { probability: await model.predict(pcm16k) };
    });
}
