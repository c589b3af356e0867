import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Tokenizer } from "@huggingface/tokenizers";
import type * as Ort from "onnxruntime-node";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { TextEmbedder } from "../../embeddings/text-embedder.ts";
import type { JobLoad } from "../inference/job-load.ts";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import { openPreparedModel } from "../onnx/prepared-model.ts";

export interface LoadMiniLmOptions {
  /** Folder returned by `ensureModels`. */
  modelsDir: string;
  /** Default 1. */
  threads?: number;
}

/** The embedding model, loaded once for all calls. Its vectors have 384 dimensions; texts longer than 256 tokens are cut. */
export interface MiniLm extends TextEmbedder {
  readonly name: string;
}

const MINILM_DIMENSIONS = 384;
/** Maximum length in the model's training. */
const MAX_TOKENS = 256;
const MAX_WAITING = 64;

/** Mean of the tokens' vectors, scaled to length 1. */
function poolTokens(hidden: Float32Array, tokens: number): Float32Array {
  const vector = new Float32Array(MINILM_DIMENSIONS);
  for (let at = 0; at < tokens * MINILM_DIMENSIONS; at += 1) {
    const dimension = at % MINILM_DIMENSIONS;
    vector[dimension] = (vector[dimension] ?? 0) + (hidden[at] ?? 0);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

class OnnxMiniLm implements MiniLm {
  readonly name = "local/minilm";
  readonly #ort: typeof Ort;
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  #isClosed = false;

  constructor(ort: typeof Ort, session: InferenceSession, tokenizer: Tokenizer) {
    this.#ort = ort;
    this.#session = session;
    this.#tokenizer = tokenizer;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      signal.throwIfAborted();
      vectors.push(await this.#embedOne(text));
    }
    return vectors;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }

  /** Embeds one text at a time: on a CPU a batch saves nothing and adds padding. */
  async #embedOne(text: string): Promise<Float32Array> {
    const { ids } = this.#tokenizer.encode(text);
    // The last token ends the sequence, so it is kept when the text is cut.
    const kept = ids.length > MAX_TOKENS ? [...ids.slice(0, MAX_TOKENS - 1), ...ids.slice(-1)] : ids;
    const toTensor = (values: BigInt64Array): Tensor =>
      new this.#ort.Tensor("int64", values, [1, kept.length]);
    const { last_hidden_state: hidden } = await this.#session.run({
      input_ids: toTensor(BigInt64Array.from(kept, BigInt)),
      attention_mask: toTensor(new BigInt64Array(kept.length).fill(1n)),
      token_type_ids: toTensor(new BigInt64Array(kept.length)),
    });
    if (!(hidden?.data instanceof Float32Array))
      throw new TypeError("the model has no float32 output last_hidden_state");
    return poolTokens(hidden.data, kept.length);
  }
}

/** Loads all-MiniLM-L6-v2 (Apache-2.0, 8-bit) from the files of the group `minilm`. */
export async function loadMiniLm({ modelsDir, threads = 1 }: LoadMiniLmOptions): Promise<MiniLm> {
  const folder = path.join(modelsDir, "minilm");
  const [ort, { Tokenizer }] = await Promise.all([
    import("onnxruntime-node"),
    import("@huggingface/tokenizers"),
  ]);
  const description: object = JSON.parse(await readFile(path.join(folder, "tokenizer.json"), "utf8"));
  const session = await openPreparedModel({
    modelsDir,
    name: "minilm",
    source: path.join("minilm", "model_quantized.onnx"),
    recipe: "as it is",
    make: async () => path.join(folder, "model_quantized.onnx"),
    session: { intraOpNumThreads: threads, interOpNumThreads: 1, logSeverityLevel: 3 },
  });
  return new OnnxMiniLm(ort, session, new Tokenizer(description, {}));
}

/** Serves `embed` with one model, one request at a time. */
export function createEmbedHandler(model: MiniLm, load?: JobLoad): NonNullable<InferenceHandlers["embed"]> {
  const queue = new JobQueue({ provider: model.name, maxWaiting: MAX_WAITING, ...(load && { load }) });
  return async ({ texts }, { signal }) =>
    await queue.run({ priority: "turn", signal }, async () => ({
      vectors: await model.embed(texts, signal),
    }));
}
