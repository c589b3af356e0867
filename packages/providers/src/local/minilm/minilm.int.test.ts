import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ensureModels } from "../../models/fetch.ts";
import { createEmbedHandler, loadMiniLm, type MiniLm } from "./embedder.ts";

let model: MiniLm;
const { signal } = new AbortController();

before(async () => {
  model = await loadMiniLm({ modelsDir: await ensureModels({ groups: ["minilm"] }) });
});

after(async () => {
  await model.close();
  await model.close();
});

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  (a ?? new Float32Array()).reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0);

test("texts of the same meaning have similar vectors of length 1", async () => {
  const embed = createEmbedHandler(model);
  const texts = ["When are you open?", "What are your opening hours?", "How much is the soup?"];
  const { vectors } = await embed({ texts }, { signal, emit: () => undefined });
  assert.deepEqual(
    vectors.map((vector) => vector.length),
    [384, 384, 384],
  );
  for (const vector of vectors) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5);
  assert.ok(dot(vectors[0], vectors[1]) > 0.6);
  assert.ok(dot(vectors[0], vectors[2]) < 0.3);
});

test("an empty text and a very long one have a vector too", async () => {
  const vectors = await model.embed(["", "The pharmacy opens at nine. ".repeat(2000)], signal);
  for (const vector of vectors) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5);
});

test("an aborted request stops before its next text", async () => {
  await assert.rejects(model.embed(["one"], AbortSignal.abort(new Error("not needed"))), /not needed/);
});
