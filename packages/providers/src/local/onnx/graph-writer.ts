import { joinParts, messageField, type Part, textField, varintField } from "./protobuf.ts";

/** Field numbers of onnx.proto3 (github.com/onnx/onnx), by message. */
const MODEL = { irVersion: 1, graph: 7, operatorSet: 8 };
const OPERATOR_SET = { domain: 1, version: 2 };
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, operator: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, i: 3, type: 20 };
const TENSOR = { dimension: 1, dataType: 2, name: 8, rawData: 9 };
const VALUE_INFO = { name: 1, type: 2 };
const TYPE = { tensor: 1 };
const TENSOR_TYPE = { elementType: 1, shape: 2 };
const SHAPE = { dimension: 1 };
const DIMENSION = { value: 1, parameter: 2 };

const IR_VERSION = 8;
const OPERATOR_SET_VERSION = 17;
const INT_ATTRIBUTE = 2;
const FLOAT = 1;
const INT64 = 7;

/** Rows of an input or output: one per element of a batch, and this many values in each. */
export interface Rows {
  name: string;
  width: number;
}

/** Writes an ONNX model node by node. */
export class GraphWriter {
  readonly #nodes: Part[] = [];
  readonly #initializers: Part[] = [];
  #names = 0;

  /** Adds weights. @returns the name of the tensor. */
  weights(shape: readonly number[], values: Float32Array): string {
    return this.#tensor(FLOAT, shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Adds a list of integers, as operators take shapes, positions and axes. @returns the name of the tensor. */
  integers(...values: number[]): string {
    return this.#tensor(INT64, [values.length], new Uint8Array(BigInt64Array.from(values, BigInt).buffer));
  }

  /** Adds a node with one output. @returns the name of the output. */
  node(
    operator: string,
    inputs: readonly string[],
    { output = this.#newName(), ...attributes }: NodeOptions = {},
  ): string {
    this.#addNode(operator, inputs, [output], attributes);
    return output;
  }

  /** Divides the columns of a tensor of rows. @returns the names of the parts. */
  splitColumns<const Widths extends readonly number[]>(
    input: string,
    widths: Widths,
  ): { [Part in keyof Widths]: string } {
    const outputs = widths.map(() => this.#newName());
    this.#addNode("Split", [input, this.integers(...widths)], outputs, { axis: 1 });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `map` keeps the length
    return outputs as { [Part in keyof Widths]: string };
  }

  /** @returns the model file. */
  finish(inputs: readonly Rows[], outputs: readonly Rows[]): Uint8Array {
    const graph = [
      ...this.#nodes,
      ...textField(GRAPH.name, "written"),
      ...this.#initializers,
      ...inputs.flatMap((rows) => messageField(GRAPH.input, valueInfo(rows))),
      ...outputs.flatMap((rows) => messageField(GRAPH.output, valueInfo(rows))),
    ];
    const operatorSet = [
      ...textField(OPERATOR_SET.domain, ""),
      varintField(OPERATOR_SET.version, OPERATOR_SET_VERSION),
    ];
    return joinParts([
      varintField(MODEL.irVersion, IR_VERSION),
      ...messageField(MODEL.operatorSet, operatorSet),
      ...messageField(MODEL.graph, graph),
    ]);
  }

  #newName(): string {
    return `tensor-${this.#names++}`;
  }

  #tensor(dataType: number, shape: readonly number[], bytes: Uint8Array): string {
    const name = this.#newName();
    const fields = [
      ...shape.map((dimension) => varintField(TENSOR.dimension, dimension)),
      varintField(TENSOR.dataType, dataType),
      ...textField(TENSOR.name, name),
      ...messageField(TENSOR.rawData, [bytes]),
    ];
    this.#initializers.push(...messageField(GRAPH.initializer, fields));
    return name;
  }

  #addNode(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Readonly<Record<string, number>>,
  ): void {
    const fields = [
      ...inputs.flatMap((name) => textField(NODE.input, name)),
      ...outputs.flatMap((name) => textField(NODE.output, name)),
      ...textField(NODE.operator, operator),
      ...Object.entries(attributes).flatMap(([name, value]) =>
        messageField(NODE.attribute, [
          ...textField(ATTRIBUTE.name, name),
          varintField(ATTRIBUTE.i, value),
          varintField(ATTRIBUTE.type, INT_ATTRIBUTE),
        ]),
      ),
    ];
    this.#nodes.push(...messageField(GRAPH.node, fields));
  }
}

export interface NodeOptions {
  /** Name of the output, if it is one of the model's. */
  output?: string;
  axis?: number;
}

function valueInfo({ name, width }: Rows): Part[] {
  const shape = [
    ...messageField(SHAPE.dimension, textField(DIMENSION.parameter, "batch")),
    ...messageField(SHAPE.dimension, [varintField(DIMENSION.value, width)]),
  ];
  const tensorType = [varintField(TENSOR_TYPE.elementType, FLOAT), ...messageField(TENSOR_TYPE.shape, shape)];
  return [
    ...textField(VALUE_INFO.name, name),
    ...messageField(VALUE_INFO.type, messageField(TYPE.tensor, tensorType)),
  ];
}
