import type { SampleRateHz } from "@parley/conversation";
import { decodeText, type Field, readFields } from "../onnx/protobuf.ts";

/** Field numbers of onnx.proto3, by message. */
const MODEL = { graph: 7 };
const GRAPH = { node: 1 };
const NODE = { operator: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, tensor: 5, graph: 6 };
const TENSOR = { name: 8, rawData: 9 };

/** The model file decides by its input `sr` which of two networks runs. */
const BRANCHES = { 8000: "else_branch", 16000: "then_branch" } as const satisfies Record<
  SampleRateHz,
  string
>;

/** Weights of one network by their names in PyTorch, as `encoder.0.reparam_conv.weight`. */
export type WeightOf = (name: string) => Float32Array;

/**
 * Finds the weights of the network for a sample rate in Silero's model file.
 *
 * @throws Error if the file has another structure; `WeightOf` throws if the network has no such weights.
 */
export function readWeights(model: Uint8Array, sampleRateHz: SampleRateHz): WeightOf {
  const graph = only(readFields(model), MODEL.graph);
  const choice = nodesOf(graph).find((node) => operatorOf(node) === "If") ?? [];
  const branch = choice
    .filter(({ number }) => number === NODE.attribute)
    .map(({ payload }) => readFields(payload))
    .find((attribute) => decodeText(only(attribute, ATTRIBUTE.name)) === BRANCHES[sampleRateHz]);
  if (branch === undefined) throw new Error("the file is not a Silero model with two networks");
  const tensors = nodesOf(only(branch, ATTRIBUTE.graph))
    .filter((node) => operatorOf(node) === "Constant")
    .map((node) => readFields(only(readFields(only(node, NODE.attribute)), ATTRIBUTE.tensor)));
  return (name) => {
    const tensor = tensors.find((fields) =>
      fields.some(({ number, payload }) => number === TENSOR.name && decodeText(payload) === name),
    );
    if (tensor === undefined) throw new Error(`the Silero model has no weights ${name}`);
    // Copied, because payloads may start at odd addresses and typed arrays may not.
    return new Float32Array(new Uint8Array(only(tensor, TENSOR.rawData)).buffer);
  };
}

function nodesOf(graph: Uint8Array): Field[][] {
  return readFields(graph)
    .filter(({ number }) => number === GRAPH.node)
    .map(({ payload }) => readFields(payload));
}

function operatorOf(node: readonly Field[]): string {
  return decodeText(only(node, NODE.operator));
}

function only(fields: readonly Field[], number: number): Uint8Array {
  const field = fields.find((each) => each.number === number);
  if (field === undefined) throw new Error(`the ONNX model lacks field ${number}`);
  return field.payload;
}
