import path from "node:path";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { serveModel } from "../onnx/serve-model.ts";
import type { DittliRequest } from "./symbols.ts";

/** Width of the text features that the English voice was trained without; all zero. */
const BERT_WIDTH = 1024;
const JA_BERT_WIDTH = 768;
/** Variation of sound and of durations, with the published values. */
const NOISE_SCALE = 0.667;
const DURATION_NOISE_SCALE = 0.8;

const SOURCE = "dittli/model.onnx";

const ort = await import("onnxruntime-node");

function open(): Promise<InferenceSession> {
  const [modelsDir = "", threads = "1"] = process.argv.slice(2);
  return openPreparedModel({
    modelsDir,
    name: "dittli",
    source: SOURCE,
    recipe: "as published",
    make: () => Promise.resolve(path.join(modelsDir, SOURCE)),
    // Opens in half the time of the published graph; a graph of the default level takes two thirds (measured).
    optimization: "all",
    session: { intraOpNumThreads: Number(threads), enableMemPattern: false, logSeverityLevel: 3 },
  });
}

async function run(session: InferenceSession, { input, speed }: DittliRequest): Promise<Float32Array> {
  const { Tensor } = ort;
  const length = input.symbols.length;
  const integers = (values: readonly number[], shape: readonly number[]): Tensor =>
    new Tensor("int64", BigInt64Array.from(values, BigInt), shape);
  const scalar = (value: number): Tensor => new Tensor("float32", Float32Array.of(value), [1]);
  const zeros = (width: number): Tensor =>
    new Tensor("float32", new Float32Array(width * length), [1, width, length]);
  const { audio } = await session.run({
    x: integers(input.symbols, [1, length]),
    x_lengths: integers([length], [1]),
    sid: integers([0], [1]),
    tone: integers(input.tones, [1, length]),
    language: integers(input.languages, [1, length]),
    bert: zeros(BERT_WIDTH),
    ja_bert: zeros(JA_BERT_WIDTH),
    noise_scale: scalar(NOISE_SCALE),
    noise_scale_w: scalar(DURATION_NOISE_SCALE),
    length_scale: scalar(1 / speed),
  });
  if (audio?.data instanceof Float32Array) return audio.data;
  throw new TypeError("the model has no float32 output audio");
}

serveModel(open, run);
