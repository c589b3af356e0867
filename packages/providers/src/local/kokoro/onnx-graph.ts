import {
  decodeText,
  joinParts,
  messageField,
  readFields,
  textField,
  varintField,
  type Field,
  type Part,
} from "../onnx/protobuf.ts";

/** Field numbers of onnx.proto3 (github.com/onnx/onnx), by message. */
const MODEL = { graph: 7 };
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, attribute: 5 };
const ATTRIBUTE = { name: 1, i: 3, t: 5 };
const TENSOR = { dataType: 2, int32Data: 5, name: 8, rawData: 9 };
const VALUE_INFO = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { elementType: 1, shape: 2 };
const SHAPE = { dimension: 1 };
const DIMENSION = { value: 1, parameter: 2 };

/** Increased when `cutModel` returns another result for the same model, because cut models are kept. */
export const CUT_VERSION = 1;

const FLOAT = 1;
const FLOAT16 = 10;

/** A float tensor at the edge of a cut graph; a dimension of unknown length has a name. */
export interface FloatTensor {
  name: string;
  shape: readonly (number | string)[];
}

export interface Cut {
  /** Inner tensors that become inputs; the nodes that computed them are dropped. */
  inputs: readonly FloatTensor[];
  /** Inner tensors, or outputs of the model, that the cut graph returns. */
  outputs: readonly FloatTensor[];
}

interface Node {
  field: Field;
  inputs: string[];
  outputs: string[];
}

function texts(fields: readonly Field[], number: number): string[] {
  return fields.filter((field) => field.number === number).map((field) => decodeText(field.payload));
}

function widenTensor(tensor: Uint8Array): Part[] {
  const fields = readFields(tensor);
  if (!fields.some((field) => field.number === TENSOR.dataType && field.varint === FLOAT16)) {
    return [tensor];
  }
  return fields.flatMap((field) => {
    switch (field.number) {
      case TENSOR.dataType:
        return [varintField(TENSOR.dataType, FLOAT)];
      case TENSOR.rawData:
        return messageField(TENSOR.rawData, [{ float16: field.payload }]);
      case TENSOR.int32Data:
        throw new Error("float16 values outside raw_data are not supported");
      default:
        return [field.encoded];
    }
  });
}

function widenAttribute(attribute: Uint8Array): Part[] {
  const fields = readFields(attribute);
  const isCastTarget = texts(fields, ATTRIBUTE.name).includes("to");
  return fields.flatMap((field) => {
    if (field.number === ATTRIBUTE.t) {
      return messageField(ATTRIBUTE.t, widenTensor(field.payload));
    }
    return isCastTarget && field.number === ATTRIBUTE.i && field.varint === FLOAT16
      ? [varintField(ATTRIBUTE.i, FLOAT)]
      : [field.encoded];
  });
}

function widenNode(node: Uint8Array): Part[] {
  return readFields(node).flatMap((field) =>
    field.number === NODE.attribute
      ? messageField(NODE.attribute, widenAttribute(field.payload))
      : [field.encoded],
  );
}

function valueInfo(tensor: FloatTensor): Part[] {
  const dimensions = tensor.shape.flatMap((dimension) =>
    messageField(
      SHAPE.dimension,
      typeof dimension === "number"
        ? [varintField(DIMENSION.value, dimension)]
        : textField(DIMENSION.parameter, dimension),
    ),
  );
  const tensorType = [
    varintField(TENSOR_TYPE.elementType, FLOAT),
    ...messageField(TENSOR_TYPE.shape, dimensions),
  ];
  return [
    ...textField(VALUE_INFO.name, tensor.name),
    ...messageField(VALUE_INFO.type, messageField(TYPE.tensor, tensorType)),
  ];
}

function readNode(field: Field): Node {
  const fields = readFields(field.payload);
  return { field, inputs: texts(fields, NODE.input), outputs: texts(fields, NODE.output) };
}

/** The nodes that compute `outputs`, back to `inputs`, in their original order. */
function nodesBetween(nodes: readonly Node[], cut: Cut): Node[] {
  const producers = new Map(nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)));
  const given = new Set(cut.inputs.map((input) => input.name));
  const needed = new Set<Node>();
  const open = cut.outputs.map((output) => output.name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = given.has(name) ? undefined : producers.get(name);
    if (node !== undefined && !needed.has(node)) {
      needed.add(node);
      open.push(...node.inputs);
    }
  }
  return nodes.filter((node) => needed.has(node));
}

/**
 * Cuts a part of an ONNX model out as a model of its own, with all float16 arithmetic and weights widened to float32.
 * The model's own inputs remain inputs if the part uses them.
 */
export function cutModel(model: Uint8Array, cut: Cut): Uint8Array {
  const modelFields = readFields(model);
  const graph = modelFields.find((field) => field.number === MODEL.graph);
  if (graph === undefined) {
    throw new Error("the file holds no ONNX graph");
  }
  const graphFields = readFields(graph.payload);
  const allNodes = graphFields.filter((field) => field.number === GRAPH.node).map(readNode);
  const nodes = nodesBetween(allNodes, cut);
  const used = new Set(nodes.flatMap((node) => node.inputs));
  const isUsed = (field: Field, nameField: number): boolean =>
    texts(readFields(field.payload), nameField).some((name) => used.has(name));

  const parts: Part[] = [
    ...nodes.flatMap((node) => messageField(GRAPH.node, widenNode(node.field.payload))),
    ...textField(GRAPH.name, "cut"),
    ...graphFields
      .filter((field) => field.number === GRAPH.initializer && isUsed(field, TENSOR.name))
      .flatMap((field) => messageField(GRAPH.initializer, widenTensor(field.payload))),
    ...graphFields
      .filter((field) => field.number === GRAPH.input && isUsed(field, VALUE_INFO.name))
      .map((field) => field.encoded),
    ...cut.inputs.flatMap((input) => messageField(GRAPH.input, valueInfo(input))),
    ...cut.outputs.flatMap((output) => messageField(GRAPH.output, valueInfo(output))),
  ];
  const rest = modelFields.filter((field) => field !== graph).map((field) => field.encoded);
  return joinParts([...rest, ...messageField(MODEL.graph, parts)]);
}
