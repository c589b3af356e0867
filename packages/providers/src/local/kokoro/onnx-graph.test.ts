import assert from "node:assert/strict";
import { test } from "node:test";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { cutModel } from "./onnx-graph.ts";
import { joinParts, messageField, readFields, textField, varintField, type Part } from "../onnx/protobuf.ts";

const FLOAT16 = 10;

function floatInfo(field: number, name: string): Part[] {
  const tensorType = messageField(1, [
    varintField(1, 1),
    ...messageField(2, messageField(1, [varintField(1, 2)])),
  ]);
  return messageField(field, [...textField(1, name), ...messageField(2, tensorType)]);
}

function node(opType: string, inputs: string[], output: string, attributes: Part[] = []): Part[] {
  return messageField(1, [
    ...inputs.flatMap((input) => textField(1, input)),
    ...textField(2, output),
    ...textField(4, opType),
    ...attributes,
  ]);
}

function castTo(type: number): Part[] {
  return messageField(5, [...textField(1, "to"), varintField(3, type), varintField(20, 2)]);
}

/** y = float32(half(x) + [1.5, -2]) · k, with the sum in float16. */
function halfModel(): Uint8Array {
  const bias = new Uint8Array(Float16Array.of(1.5, -2).buffer);
  const factor = new Uint8Array(Float32Array.of(10, 10).buffer);
  const tensor = (name: string, type: number, raw: Uint8Array): Part[] =>
    messageField(5, [
      varintField(1, 2),
      varintField(2, type),
      ...textField(8, name),
      ...messageField(9, [raw]),
    ]);
  const graph = [
    ...node("Cast", ["x"], "half", castTo(FLOAT16)),
    ...node("Add", ["half", "bias"], "sum"),
    ...node("Cast", ["sum"], "wide", castTo(1)),
    ...node("Mul", ["wide", "factor"], "y"),
    ...textField(2, "graph"),
    ...tensor("bias", FLOAT16, bias),
    ...tensor("factor", 1, factor),
    ...floatInfo(11, "x"),
    ...floatInfo(12, "y"),
  ];
  const opset = messageField(8, [varintField(2, 17)]);
  return joinParts([varintField(1, 8), ...opset, ...messageField(7, graph)]);
}

async function run(model: Uint8Array, input: string, output: string, values: number[]): Promise<number[]> {
  const session = await InferenceSession.create(model);
  const result = await session.run({
    [input]: new Tensor("float32", Float32Array.from(values), [values.length]),
  });
  await session.release();
  return Array.from(result[output]?.data ?? [], Number);
}

test("a model split in two computes in two steps the result of one", async () => {
  const model = halfModel();
  const middle = { name: "sum", shape: [2] };
  const front = cutModel(model, { inputs: [], outputs: [middle] });
  const back = cutModel(model, { inputs: [middle], outputs: [{ name: "y", shape: [2] }] });
  assert.deepEqual(await run(model, "x", "y", [1, 2]), [25, 0]);
  assert.deepEqual(await run(front, "x", "sum", [1, 2]), [2.5, 0]);
  assert.deepEqual(await run(back, "sum", "y", [2.5, 0]), [25, 0]);
});

test("a split model computes in float32, beyond the range of float16", async () => {
  const whole = cutModel(halfModel(), { inputs: [], outputs: [{ name: "y", shape: [2] }] });
  assert.deepEqual(await run(whole, "x", "y", [70_000, 0]), [700_015, -20]);
});

test("a file that is not a model is refused", () => {
  const cut = { inputs: [], outputs: [] };
  assert.throws(() => cutModel(Uint8Array.of(0x0a, 0xff), cut), /protobuf message ends/);
  assert.throws(() => cutModel(new Uint8Array(0), cut), /no ONNX graph/);
});

test("long numbers and empty messages are read as written", () => {
  const bytes = joinParts([varintField(3, 2 ** 40), ...messageField(4, [])]);
  const fields = readFields(bytes).map(({ number, varint, payload }) => [number, varint, payload.length]);
  assert.deepEqual(fields, [
    [3, 2 ** 40, 0],
    [4, 0, 0],
  ]);
});
