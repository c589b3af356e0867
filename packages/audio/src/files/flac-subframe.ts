import { AudioFileError } from "./audio-file.ts";
import type { BitReader } from "./bit-reader.ts";

/** RFC 9639 §9.2.5: coefficients of the fixed predictors by order. */
const FIXED_COEFFICIENTS = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]] as const;

/** Reads one channel of a frame (RFC 9639 §9.2). */
export function readSubframe(reader: BitReader, blockSize: number, bits: number): Float64Array {
  reader.read(1);
  const type = reader.read(6);
  const wastedBits = reader.read(1) === 1 ? reader.readUnary() + 1 : 0;
  const depth = bits - wastedBits;
  if (depth <= 0) throw damaged();
  const samples = readSamples(reader, type, blockSize, depth);
  return wastedBits === 0 ? samples : samples.map((sample) => sample * 2 ** wastedBits);
}

function readSamples(reader: BitReader, type: number, blockSize: number, depth: number): Float64Array {
  const samples = new Float64Array(blockSize);
  if (type === 0) return samples.fill(reader.readSigned(depth));
  if (type === 1) {
    for (let at = 0; at < blockSize; at++) samples[at] = reader.readSigned(depth);
    return samples;
  }
  const isLinear = type >= 32;
  const order = isLinear ? type - 31 : type - 8;
  const fixed = isLinear ? undefined : FIXED_COEFFICIENTS[order];
  if ((!isLinear && fixed === undefined) || order > blockSize) throw damaged();
  for (let at = 0; at < order; at++) samples[at] = reader.readSigned(depth);
  const predictor = fixed === undefined ? readPredictor(reader, order) : { coefficients: fixed, shift: 0 };
  readResidual(reader, samples, order);
  restore(samples, predictor);
  return samples;
}

interface Predictor {
  /** Of the sample before, then of the one before that, and so on. */
  coefficients: readonly number[];
  shift: number;
}

function readPredictor(reader: BitReader, order: number): Predictor {
  const precision = reader.read(4) + 1;
  const shift = reader.readSigned(5);
  if (precision === 16 || shift < 0) throw damaged();
  return { coefficients: Array.from({ length: order }, () => reader.readSigned(precision)), shift };
}

/** Reads Rice-coded differences behind the first `order` samples (RFC 9639 §9.2.7). */
function readResidual(reader: BitReader, samples: Float64Array, order: number): void {
  const method = reader.read(2);
  if (method > 1) throw damaged();
  const parameterBits = method === 0 ? 4 : 5;
  const escape = 2 ** parameterBits - 1;
  const partitions = 1 << reader.read(4);
  const size = samples.length / partitions;
  if (!Number.isInteger(size) || size < order) throw damaged();
  let at = order;
  for (let partition = 1; partition <= partitions; partition++) {
    const parameter = reader.read(parameterBits);
    const plainBits = parameter === escape ? reader.read(5) : undefined;
    for (; at < partition * size; at++)
      samples[at] = plainBits === undefined ? readRice(reader, parameter) : reader.readSigned(plainBits);
  }
}

function readRice(reader: BitReader, parameter: number): number {
  const folded = reader.readUnary() * 2 ** parameter + reader.read(parameter);
  return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
}

function restore(samples: Float64Array, { coefficients, shift }: Predictor): void {
  const order = coefficients.length;
  const scale = 2 ** shift;
  for (let at = order; at < samples.length; at++) {
    let sum = 0;
    for (let tap = 0; tap < order; tap++) sum += (coefficients[tap] ?? 0) * (samples[at - 1 - tap] ?? 0);
    samples[at] = (samples[at] ?? 0) + Math.floor(sum / scale);
  }
}

const damaged = (): AudioFileError => new AudioFileError("is a damaged FLAC file: a channel is unreadable");
