import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ensureModels } from "../../models/fetch.ts";
import { openPreparedModel } from "./prepared-model.ts";

const source = path.join("silero", "silero_vad.onnx");

/** Creates a models folder with one small model, and a function to open it that counts how often it is prepared. */
async function createModels(context: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-prepared-"));
  context.after(async () => await rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, "silero"));
  await cp(path.join(await ensureModels({ groups: ["silero"] }), source), path.join(folder, source));
  let made = 0;
  const open = async (recipe = "as it is", processor = "of this machine"): Promise<string[]> => {
    const session = await openPreparedModel({
      modelsDir: folder,
      name: "vad",
      source,
      recipe,
      processor,
      make: async () => {
        made += 1;
        return path.join(folder, source);
      },
      session: { intraOpNumThreads: 1, logSeverityLevel: 3 },
    });
    const inputs = [...session.inputNames];
    await session.release();
    return inputs;
  };
  const prepared = async (): Promise<string[]> => await readdir(path.join(folder, "prepared"));
  return { folder, open, prepared, made: () => made };
}

test("a model is prepared once and then opened from its stored graph", async (context) => {
  const { open, prepared, made } = await createModels(context);
  const inputs = await open();
  assert.ok(inputs.includes("state"));
  assert.deepEqual(await open(), inputs);
  assert.equal(made(), 1);
  assert.equal((await prepared()).length, 1);
});

test("another source or recipe is prepared again and replaces the stored graph", async (context) => {
  const { folder, open, prepared, made } = await createModels(context);
  await open();
  const [first] = await prepared();
  await utimes(path.join(folder, source), 1, 1);
  await open();
  await open("another");
  assert.equal(made(), 3);
  const kept = await prepared();
  assert.equal(kept.length, 1);
  assert.notEqual(kept[0], first);
});

test("a graph optimized on another processor is not used, and both are kept", async (context) => {
  const { open, prepared, made } = await createModels(context);
  await open();
  await open("as it is", "one without VNNI");
  await open();
  assert.equal(made(), 2);
  assert.equal((await prepared()).length, 2);
});

test("a damaged prepared model is prepared again", async (context) => {
  const { folder, open, prepared, made } = await createModels(context);
  await open();
  const [file = ""] = await prepared();
  await writeFile(path.join(folder, "prepared", file), "not a model");
  assert.ok((await open()).includes("state"));
  assert.equal(made(), 2);
});

test("the model is opened even if nothing can be written", async (context) => {
  const { folder, open } = await createModels(context);
  await writeFile(path.join(folder, "prepared"), "a file in the folder's place");
  assert.ok((await open()).includes("state"));
});
