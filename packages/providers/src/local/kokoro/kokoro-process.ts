import { readFile } from "node:fs/promises";
import path from "node:path";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { openPreparedModel } from "../onnx/prepared-model.ts";
import { serveModel } from "../onnx/serve-model.ts";
import {
  CONTENT_ROWS,
  type DecodeRequest,
  type EncodedPhrase,
  type EncodeRequest,
  type KokoroRequest,
  type KokoroResult,
  STYLE_WIDTH,
} from "./kokoro-model.ts";
import { CUT_VERSION, type Cut, cutModel, type FloatTensor } from "./onnx-graph.ts";
import { PAD_ID } from "./symbols.ts";

const SOURCE = path.join("kokoro", "model_fp16.onnx");

// Tensors at which the model is split in two: content and prosody (cheap), and the sound itself (nearly all the time).
const content: FloatTensor = { name: "/encoder/MatMul_1_output_0", shape: [1, CONTENT_ROWS, "frames"] };
const pitch: FloatTensor = { name: "/encoder/Reshape_output_0", shape: [1, "half_frames"] };
const energy: FloatTensor = { name: "/encoder/Reshape_1_output_0", shape: [1, "half_frames"] };
/** Frames of 25 ms for every token. */
const durations: FloatTensor = { name: "/encoder/Clip_output_0", shape: [1, "tokens"] };
const waveform: FloatTensor = { name: "waveform", shape: [1, "samples"] };

interface Kokoro {
  encoder: InferenceSession;
  decoder: InferenceSession;
}

const { Tensor } = await import("onnxruntime-node");

async function open(): Promise<Kokoro> {
  return {
    encoder: await openPart("encoder", { inputs: [], outputs: [content, pitch, energy, durations] }),
    decoder: await openPart("decoder", { inputs: [content, pitch, energy], outputs: [waveform] }),
  };
}

async function openPart(part: string, cut: Cut): Promise<InferenceSession> {
  const [modelsDir = "", threads = "2"] = process.argv.slice(2);
  return await openPreparedModel({
    modelsDir,
    name: `kokoro-${part}`,
    source: SOURCE,
    recipe: JSON.stringify([CUT_VERSION, cut]),
    make: async () => cutModel(await readFile(path.join(modelsDir, SOURCE)), cut),
    session: {
      intraOpNumThreads: Number(threads),
      // Every text has another length, which would need a new memory plan each time.
      enableMemPattern: false,
      logSeverityLevel: 3,
    },
  });
}

async function run({ encoder, decoder }: Kokoro, request: KokoroRequest): Promise<KokoroResult> {
  return request.type === "encode" ? await encode(encoder, request) : await decode(decoder, request);
}

async function encode(
  encoder: InferenceSession,
  { ids, style, speed }: EncodeRequest,
): Promise<EncodedPhrase> {
  const padded = BigInt64Array.from([PAD_ID, ...ids, PAD_ID], BigInt);
  const encoded = await encoder.run({
    input_ids: new Tensor("int64", padded, [1, padded.length]),
    style: new Tensor("float32", style, [1, STYLE_WIDTH]),
    speed: new Tensor("float32", Float32Array.of(speed), [1]),
  });
  const readValues = ({ name }: FloatTensor): Float32Array => readFloat32(encoded[name], name);
  return {
    contents: readValues(content),
    pitches: readValues(pitch),
    energies: readValues(energy),
    durations: readValues(durations),
  };
}

async function decode(
  decoder: InferenceSession,
  { style, contents, pitches, energies }: DecodeRequest,
): Promise<{ samples: Float32Array }> {
  const curve = (values: Float32Array): OrtTensor => new Tensor("float32", values, [1, values.length]);
  const decoded = await decoder.run({
    style: new Tensor("float32", style, [1, STYLE_WIDTH]),
    [content.name]: new Tensor("float32", contents, [1, CONTENT_ROWS, contents.length / CONTENT_ROWS]),
    [pitch.name]: curve(pitches),
    [energy.name]: curve(energies),
  });
  return { samples: readFloat32(decoded[waveform.name], waveform.name) };
}

function readFloat32(tensor: OrtTensor | undefined, name: string): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  throw new TypeError(`the model has no float32 output ${name}`);
}

serveModel(open, run);
