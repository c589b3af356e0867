import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { addToSpeedRecord, readSpeedRecord } from "./speed-record.ts";

const SPEEDS = { "moonshine-base": 0.1, "kokoro-1": 0.6 };

async function createFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-speeds-"));
  context.after(async () => await rm(folder, { recursive: true }));
  return folder;
}

async function locateRecord(modelsDir: string): Promise<string> {
  const [name = "", ...others] = await readdir(path.join(modelsDir, "prepared"));
  assert.deepEqual(others, []);
  return path.join(modelsDir, "prepared", name);
}

test("speeds are kept for this number of cores", async (context) => {
  const modelsDir = await createFolder(context);
  assert.equal(await readSpeedRecord({ modelsDir, cores: 2 }), undefined);
  assert.deepEqual(await addToSpeedRecord({ modelsDir, cores: 2 }, SPEEDS, false), SPEEDS);
  assert.deepEqual(await readSpeedRecord({ modelsDir, cores: 2 }), {
    speeds: SPEEDS,
    starts: 1,
    isDisturbed: false,
    isFinal: true,
  });
  assert.equal(await readSpeedRecord({ modelsDir, cores: 1 }), undefined);
});

test("what other processes disturbed is measured again, at three starts and after a day, and the shortest times count", async (context) => {
  const record = { modelsDir: await createFolder(context), cores: 2 };
  await addToSpeedRecord(record, SPEEDS, true);
  assert.equal((await readSpeedRecord(record))?.isFinal, false);
  await addToSpeedRecord(record, { "moonshine-base": 0.2, "kokoro-1": 0.3, dittli: 0.04 }, true);
  assert.deepEqual((await readSpeedRecord(record))?.speeds, {
    "moonshine-base": 0.1,
    "kokoro-1": 0.3,
    dittli: 0.04,
  });
  await addToSpeedRecord({ ...record, now: 0 }, SPEEDS, true);
  assert.equal((await readSpeedRecord({ ...record, now: 86_399_999 }))?.isFinal, true);
  assert.equal((await readSpeedRecord({ ...record, now: 86_400_000 }))?.isFinal, false);
});

for (const [what, damage] of [
  ["cut", (text: string) => text.slice(0, 30)],
  ["of other models", (text: string) => text.replace(/"key":"[0-9a-f]/, '"key":"x')],
  ["with an impossible speed", (text: string) => text.replace("0.6", "-0.6")],
  ["with a speed that is no number", (text: string) => text.replace("0.6", '"fast"')],
  ["not an object", () => "null"],
] as const) {
  test(`a record that is ${what} counts as none`, async (context) => {
    const record = { modelsDir: await createFolder(context), cores: 2 };
    await addToSpeedRecord(record, SPEEDS, false);
    const location = await locateRecord(record.modelsDir);
    await writeFile(location, damage(await readFile(location, "utf8")));
    assert.equal(await readSpeedRecord(record), undefined);
  });
}

test("a folder that cannot be written costs nothing but another measurement", async (context) => {
  const folder = await createFolder(context);
  await writeFile(path.join(folder, "prepared"), "a file in place of the folder");
  const record = { modelsDir: folder, cores: 2 };
  assert.deepEqual(await addToSpeedRecord(record, SPEEDS, false), SPEEDS);
  assert.equal(await readSpeedRecord(record), undefined);
});
