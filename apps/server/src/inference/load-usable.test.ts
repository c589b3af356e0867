import assert from "node:assert/strict";
import { test } from "node:test";
import { warmedUp } from "./load-usable.ts";

function createModel(failure?: Error) {
  const steps: string[] = [];
  return {
    steps,
    warmUp: async () => {
      steps.push("run");
      if (failure !== undefined) throw failure;
    },
    close: async () => void steps.push("closed"),
  };
}

test("a model that calls may need has run once before it is used; another one has not", async () => {
  const model = createModel();
  assert.equal(await warmedUp(model), model);
  assert.deepEqual(model.steps, ["run"]);
  const unused = createModel();
  await warmedUp(unused, { isWanted: false });
  assert.deepEqual(unused.steps, []);
});

test("a model can run on something else than its own first run", async () => {
  const model = createModel();
  await warmedUp(model, { run: async ({ steps }) => void steps.push("speech") });
  assert.deepEqual(model.steps, ["speech"]);
});

test("a model whose first run fails is closed", async () => {
  const model = createModel(new Error("no memory"));
  await assert.rejects(warmedUp(model), /no memory/);
  assert.deepEqual(model.steps, ["run", "closed"]);
});
