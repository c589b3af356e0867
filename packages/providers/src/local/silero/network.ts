import type { SampleRateHz } from "@parley/conversation";
import { GraphWriter } from "../onnx/graph-writer.ts";
import { shapes, STATE_WIDTH } from "./stream.ts";
import { readWeights, type WeightOf } from "./weights.ts";

/** Spectra of one window. */
const SPECTRA = 4;
/** Channels after each convolution of the encoder. */
const CHANNELS = [128, 64, 64, 128] as const;
/** Spectra that a convolution combines. */
const KERNEL = 3;
/** Gates of the LSTM in the order of its weights in PyTorch: input, forget, cell, output. */
const [INPUT, FORGET, CELL, OUTPUT] = [0, 1, 2, 3];

/**
 * Writes Silero's network for one sample rate as a model of its own, whose results differ from those of the model file by
 * rounding only. The model file tests shapes in nested conditions for every batch and computes each convolution per row.
 * Here every step is one matrix product for all rows: a window takes 14 µs instead of 38 in a batch of 8, and 58 instead
 * of 111 alone.
 *
 * Inputs: `input` (context and window), `lower` and `upper` (state). Outputs: `probability`, `nextLower`, `nextUpper`.
 *
 * @param model Silero's model file.
 */
export function writeNetwork(model: Uint8Array, sampleRateHz: SampleRateHz): Uint8Array {
  const weightOf = readWeights(model, sampleRateHz);
  const { window, context } = shapes[sampleRateHz];
  const graph = new GraphWriter();
  const encoded = writeEncoder(graph, weightOf, writeSpectra(graph, weightOf, shapes[sampleRateHz]));
  writeDecoder(graph, weightOf, encoded);
  const state = (name: string): { name: string; width: number } => ({ name, width: STATE_WIDTH });
  return graph.finish(
    [{ name: "input", width: window + context }, state("lower"), state("upper")],
    [{ name: "probability", width: 1 }, state("nextLower"), state("nextUpper")],
  );
}

interface Spectra {
  tensor: string;
  /** Frequencies of one spectrum. */
  bins: number;
}

/** Amplitudes of four overlapping parts of the input, whose end is continued by its reflection. */
function writeSpectra(
  graph: GraphWriter,
  weightOf: WeightOf,
  { window, context }: (typeof shapes)[SampleRateHz],
): Spectra {
  const length = window + context;
  const hop = window / SPECTRA;
  const filter = 2 * hop;
  const bins = hop + 1;
  const [first, last] = [length - 2, length - 2 - hop / 2];
  const reflection = graph.node("Slice", [
    "input",
    graph.integers(first),
    graph.integers(last),
    graph.integers(1),
    graph.integers(-1),
  ]);
  const padded = graph.node("Concat", ["input", reflection], { axis: 1 });
  const halves = graph.node("Reshape", [padded, graph.integers(-1, SPECTRA + 1, hop)]);
  const parts = joinNeighbors(graph, halves, 2, filter);
  const basis = weightOf("stft.forward_basis_buffer");
  const square = (firstRow: number): string => {
    const rows = basis.subarray(firstRow * filter, (firstRow + bins) * filter);
    const product = graph.node("MatMul", [parts, graph.weights([filter, bins], transpose(rows, filter))]);
    return graph.node("Mul", [product, product]);
  };
  return { tensor: graph.node("Sqrt", [graph.node("Add", [square(0), square(bins)])]), bins };
}

function writeEncoder(graph: GraphWriter, weightOf: WeightOf, { tensor, bins }: Spectra): string {
  const spectra = graph.node("Reshape", [tensor, graph.integers(-1, SPECTRA, bins)]);
  const padded = graph.node("Pad", [spectra, graph.integers(0, 1, 0, 0, 1, 0)]);
  const neighbors = joinNeighbors(graph, padded, KERNEL, KERNEL * bins);
  const [first, second, third, fourth] = CHANNELS;
  const weights = new Float32Array(KERNEL * bins * first);
  eachWeight(weightOf("encoder.0.reparam_conv.weight"), bins, (weight, to, from, tap) => {
    weights[(tap * bins + from) * first + to] = weight;
  });
  const bias = graph.weights([first], weightOf("encoder.0.reparam_conv.bias"));
  const product = graph.node("Gemm", [neighbors, graph.weights([KERNEL * bins, first], weights), bias]);
  const rows = graph.node("Reshape", [graph.node("Relu", [product]), graph.integers(-1, SPECTRA * first)]);
  const convolve = (input: string, layer: number, from: Layer, to: Layer): string =>
    writeConvolution(graph, input, {
      weights: weightOf(`encoder.${layer}.reparam_conv.weight`),
      bias: weightOf(`encoder.${layer}.reparam_conv.bias`),
      from,
      to,
    });
  const halved = { channels: second, steps: SPECTRA / 2 };
  const single = { channels: third, steps: 1 };
  return convolve(
    convolve(convolve(rows, 1, { channels: first, steps: SPECTRA }, halved), 2, halved, single),
    3,
    single,
    { channels: fourth, steps: 1 },
  );
}

interface Layer {
  channels: number;
  /** Steps of time. */
  steps: number;
}

/** A convolution over few steps of time, as one product with a matrix over all of them. */
function writeConvolution(
  graph: GraphWriter,
  input: string,
  { weights, bias, from, to }: { weights: Float32Array; bias: Float32Array; from: Layer; to: Layer },
): string {
  const stride = from.steps / to.steps;
  const [height, width] = [from.steps * from.channels, to.steps * to.channels];
  const matrix = new Float32Array(height * width);
  const biases = new Float32Array(width);
  for (let step = 0; step < to.steps; step++) {
    biases.set(bias, step * to.channels);
    eachWeight(weights, from.channels, (weight, toChannel, fromChannel, tap) => {
      const source = step * stride + tap - 1;
      if (source < 0 || source >= from.steps) return;
      matrix[(source * from.channels + fromChannel) * width + step * to.channels + toChannel] = weight;
    });
  }
  const product = graph.node("Gemm", [
    input,
    graph.weights([height, width], matrix),
    graph.weights([width], biases),
  ]);
  return graph.node("Relu", [product]);
}

/** One step of an LSTM, and the probability. Three gates have the same function, so they are neighbors. */
function writeDecoder(graph: GraphWriter, weightOf: WeightOf, encoded: string): void {
  const order = [INPUT, FORGET, OUTPUT, CELL];
  const fromInput = inOrder(weightOf("decoder.rnn.weight_ih"), order);
  const fromState = inOrder(weightOf("decoder.rnn.weight_hh"), order);
  const biases = inOrder(weightOf("decoder.rnn.bias_ih"), order);
  for (const [at, bias] of inOrder(weightOf("decoder.rnn.bias_hh"), order).entries())
    biases[at] = (biases[at] ?? 0) + bias;
  const width = order.length * STATE_WIDTH;
  const matrix = new Float32Array(2 * STATE_WIDTH * width);
  matrix.set(transpose(fromInput, STATE_WIDTH));
  matrix.set(transpose(fromState, STATE_WIDTH), STATE_WIDTH * width);
  const gates = graph.node("Gemm", [
    graph.node("Concat", [encoded, "lower"], { axis: 1 }),
    graph.weights([2 * STATE_WIDTH, width], matrix),
    graph.weights([width], biases),
  ]);
  const [open, cell] = graph.splitColumns(gates, [3 * STATE_WIDTH, STATE_WIDTH]);
  const [input, forget, output] = graph.splitColumns(graph.node("Sigmoid", [open]), [
    STATE_WIDTH,
    STATE_WIDTH,
    STATE_WIDTH,
  ]);
  const kept = graph.node("Mul", [forget, "upper"]);
  const added = graph.node("Mul", [input, graph.node("Tanh", [cell])]);
  const upper = graph.node("Add", [kept, added], { output: "nextUpper" });
  const lower = graph.node("Mul", [output, graph.node("Tanh", [upper])], { output: "nextLower" });
  const score = graph.node("Gemm", [
    graph.node("Relu", [lower]),
    graph.weights([STATE_WIDTH, 1], weightOf("decoder.decoder.2.weight")),
    graph.weights([1], weightOf("decoder.decoder.2.bias")),
  ]);
  graph.node("Sigmoid", [score], { output: "probability" });
}

/** From each step of time, one row with it and those that follow; `SPECTRA` rows per element of the batch. */
function joinNeighbors(graph: GraphWriter, steps: string, count: number, width: number): string {
  const shifted = Array.from({ length: count }, (_, shift) =>
    graph.node("Slice", [steps, graph.integers(shift), graph.integers(shift + SPECTRA), graph.integers(1)]),
  );
  return graph.node("Reshape", [graph.node("Concat", shifted, { axis: 2 }), graph.integers(-1, width)]);
}

/** Weights of a convolution, which are stored by output channel, input channel and step of time. */
function eachWeight(
  weights: Float32Array,
  fromChannels: number,
  use: (weight: number, toChannel: number, fromChannel: number, tap: number) => void,
): void {
  // By index: `for…of` takes several times as long, and this delays the start of the process.
  for (let at = 0; at < weights.length; at++) {
    const row = Math.floor(at / KERNEL);
    use(weights[at] ?? 0, Math.floor(row / fromChannels), row % fromChannels, at % KERNEL);
  }
}

/** The gates' weights in another order. */
function inOrder(weights: Float32Array, order: readonly number[]): Float32Array {
  const size = weights.length / order.length;
  const ordered = new Float32Array(weights.length);
  for (const [to, from] of order.entries())
    ordered.set(weights.subarray(from * size, (from + 1) * size), to * size);
  return ordered;
}

function transpose(matrix: Float32Array, width: number): Float32Array {
  const height = matrix.length / width;
  const transposed = new Float32Array(matrix.length);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      transposed[column * height + row] = matrix[row * width + column] ?? 0;
  return transposed;
}
