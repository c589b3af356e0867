import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { readWav } from "@parley/audio";
import { ensureModels } from "../../models/fetch.ts";
import { createTurnEndHandler, loadSmartTurn, type SmartTurn } from "./smart-turn.ts";
import { sweep } from "../self-test/sweep.ts";

const recordings = path.join(import.meta.dirname, "..", "..", "..", "..", "..", "bench", "recordings");
const { signal } = new AbortController();
let model: SmartTurn;

before(async () => {
  model = await loadSmartTurn({ modelsDir: await ensureModels({ groups: ["smart-turn"] }) });
});

after(async () => {
  await model.close();
  await model.close();
});

test("the probability equals that of the authors' own code", async () => {
  // Rounding in the model's 8-bit arithmetic differs a little between processors.
  assert.ok(Math.abs((await model.predict(sweep(24_000))) - 0.2348) < 0.05);
  assert.ok(Math.abs((await model.predict(sweep(140_000))) - 0.3747) < 0.05);
});

test("a person who breaks off in mid-sentence has not finished; one with a complete sentence has", async () => {
  const predict = createTurnEndHandler(model);
  const probabilityAfter = async (file: string, saidMs: number): Promise<number> => {
    const { pcm } = readWav(await readFile(path.join(recordings, file)));
    const withSilence = new Int16Array(16 * (saidMs + 160));
    withSilence.set(pcm.subarray(0, 16 * saidMs));
    const params = { pcm: withSilence, sampleRateHz: 16_000, streamId: "a" };
    return (await predict(params, { signal, emit: () => undefined })).probability;
  };
  assert.ok((await probabilityAfter("cards-2.wav", 690)) < 0.3, "four …");
  assert.ok((await probabilityAfter("cards-2.wav", 1770)) > 0.7, "four, queen of clubs");
  assert.ok((await probabilityAfter("go-forward.wav", 2690)) > 0.7, "go forward ten metres");
});
