import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createDamagedModels } from "../../../../packages/providers/src/testing/damaged-models.ts";
import { SpeechLoader, type SpeechModels } from "./load-speech.ts";

async function createLoader(context: TestContext, voicesInUse: readonly string[]) {
  const groups = ["moonshine-base", "moonshine-tiny", "kokoro", "dittli"] as const;
  const { modelsDir, remove } = await createDamagedModels([], groups);
  context.after(remove);
  const loader = new SpeechLoader({
    modelsDir,
    hasSpeechToText: true,
    hasTextToSpeech: true,
    voicesInUse: Promise.resolve(voicesInUse),
    settings: {},
    onModel: () => undefined,
  });
  return { modelsDir, loader };
}

async function close({ moonshine, voices }: SpeechModels): Promise<void> {
  await Promise.all([moonshine?.close(), voices.kokoro?.close(), voices.dittli?.close()]);
}

/** Names of the voices whose models are loaded. */
const openVoices = ({ voices }: SpeechModels): string[] =>
  Object.entries(voices).flatMap(([name, engine]) => (engine.isOpen ? [name] : []));

test("models are measured once; later starts make the same choice, and open only the voices in use", async (context) => {
  const { modelsDir, loader } = await createLoader(context, ["dittli/male"]);
  const first = await loader.load();
  context.after(async () => await close(first.models));
  assert.equal(first.isMeasured, false);
  const { models, fit } = await loader.measure(first.models);
  context.after(async () => await close(models));
  assert.deepEqual(openVoices(models), ["dittli"]);
  const threads = availableParallelism() === 1 ? ["kokoro-1"] : ["kokoro-1", "kokoro-2"];
  // A machine on which the larger recognizer is slow measures the smaller one too.
  const names = Object.keys(fit.speeds).filter((name) => name !== "moonshine-tiny");
  assert.deepEqual(names.sort(), ["dittli", ...threads, "moonshine-base"]);
  assert.ok(
    Object.values(fit.speeds).every((factor) => (factor ?? 0) > 0),
    fit.summary,
  );

  const folder = path.join(modelsDir, "prepared");
  const name = (await readdir(folder)).find((file) => file.startsWith("speech-speeds-")) ?? "";
  const location = path.join(folder, name);
  // After as many starts a busy machine is not measured again either.
  await writeFile(location, (await readFile(location, "utf8")).replace('"starts":1', '"starts":3'));
  const second = await loader.load();
  context.after(async () => await close(second.models));
  assert.equal(second.isMeasured, true);
  assert.equal(second.fit.summary, fit.summary);
  assert.deepEqual(openVoices(second.models), ["dittli"]);
  // Another voice is opened when it first speaks.
  const { kokoro } = second.models.voices;
  const speech = kokoro?.synthesize("Hello.", { voice: "af_heart", speed: 1 }, new AbortController().signal);
  for await (const { samples } of speech ?? []) assert.ok(samples.length > 0);
  assert.deepEqual(openVoices(second.models), ["kokoro", "dittli"]);
});
