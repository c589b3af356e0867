import assert from "node:assert/strict";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { type TestContext, test } from "node:test";
import {
  findWrongAnswer,
  KNOWN_ANSWERS,
  type ModelAnswer,
  type TestedGroup,
} from "../../models/known-answers/known-answers.ts";
import { ensureModels } from "../../models/fetch.ts";
import { createDamagedModels } from "../../testing/damaged-models.ts";
import { loadDittli } from "../dittli/dittli.ts";
import { loadKokoro } from "../kokoro/kokoro.ts";
import { loadMiniLm } from "../minilm/embedder.ts";
import { loadMoonshine } from "../moonshine/model.ts";
import { loadLexicon } from "../phonemes/lexicon.ts";
import { loadSilero, type SileroVoiceActivity } from "../silero/voice-activity.ts";
import { loadSmartTurn, type SmartTurn } from "../smart-turn/smart-turn.ts";
import { askMiniLm, askMoonshine, askSilero, askSmartTurn, askVoice } from "./ask-models.ts";
import { loadTested, UnusableModelError } from "./self-test.ts";

/** Loads the end-of-turn model of a folder and counts its predictions. */
function createLoader(modelsDir: string): { load: () => Promise<SmartTurn>; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    load: async () =>
      await loadTested({
        modelsDir,
        group: "smart-turn",
        load: async () => await loadSmartTurn({ modelsDir }),
        ask: async (model) => {
          asked += 1;
          return await askSmartTurn(model);
        },
      }),
  };
}

async function createModelsDir(context: TestContext, damaged: readonly string[]): Promise<string> {
  const { modelsDir, remove } = await createDamagedModels(damaged, ["smart-turn"]);
  context.after(remove);
  return modelsDir;
}

/** Loads the model, then asks it. */
function asked<Model extends { close: () => Promise<void> }>(
  load: (modelsDir: string) => Promise<Model>,
  ask: (model: Model) => Promise<ModelAnswer>,
): (modelsDir: string) => Promise<ModelAnswer> {
  return async (modelsDir) => {
    const model = await load(modelsDir);
    try {
      return await ask(model);
    } finally {
      await model.close();
    }
  };
}

const answerOf: Readonly<Record<TestedGroup, (modelsDir: string) => Promise<ModelAnswer>>> = {
  "smart-turn": asked(async (modelsDir) => await loadSmartTurn({ modelsDir }), askSmartTurn),
  minilm: asked(async (modelsDir) => await loadMiniLm({ modelsDir }), askMiniLm),
  "moonshine-tiny": asked(
    async (modelsDir) => await loadMoonshine({ modelsDir, size: "tiny" }),
    askMoonshine,
  ),
  "moonshine-base": asked(
    async (modelsDir) => await loadMoonshine({ modelsDir, size: "base" }),
    askMoonshine,
  ),
  silero: asked<SileroVoiceActivity>(
    async (modelsDir) => await loadSilero({ modelsDir, onFailure: (error) => assert.ifError(error) }),
    askSilero,
  ),
  kokoro: asked(
    async (modelsDir) => await loadKokoro({ modelsDir, lexicon: await loadLexicon() }),
    async (voice) => await askVoice(voice, "af_heart"),
  ),
  dittli: asked(
    async (modelsDir) => await loadDittli({ modelsDir, lexicon: await loadLexicon() }),
    async (voice) => await askVoice(voice, "male"),
  ),
};

for (const group of Object.keys(KNOWN_ANSWERS) as TestedGroup[]) {
  test(`the model ${group} gives its known answers`, async (context) => {
    const answer = await answerOf[group](await ensureModels({ groups: [group] }));
    context.diagnostic(`${answer.text ?? ""} ${answer.values.map((value) => value.toFixed(4)).join(" ")}`);
    assert.equal(findWrongAnswer(group, answer), undefined);
  });
}

test("a model is tested once, and again if its file or its prepared graph changes", async (context) => {
  const modelsDir = await createModelsDir(context, []);
  const { load, asked } = createLoader(modelsDir);
  await (await load()).close();
  await (await load()).close();
  assert.equal(asked(), 1);
  const graph = (await readdir(path.join(modelsDir, "prepared"))).find((file) => file.endsWith(".ort")) ?? "";
  await utimes(path.join(modelsDir, "prepared", graph), 1, 1);
  await (await load()).close();
  assert.equal(asked(), 2);
});

test("a damaged prepared graph that gives wrong answers is prepared again", async (context) => {
  const modelsDir = await createModelsDir(context, []);
  const { load, asked } = createLoader(modelsDir);
  await (await load()).close();
  const graph = (await readdir(path.join(modelsDir, "prepared"))).find((file) => file.endsWith(".ort")) ?? "";
  const location = path.join(modelsDir, "prepared", graph);
  const bytes = await readFile(location);
  // Weights are most of the file; its structure is at the end and the start.
  bytes.fill(0x11, bytes.length / 4, bytes.length / 2);
  await writeFile(location, bytes);
  const model = await load();
  assert.equal(findWrongAnswer("smart-turn", await askSmartTurn(model)), undefined);
  await model.close();
  assert.ok(asked() >= 2);
});

test("a model with damaged weights opens, gives wrong answers and is not used", async (context) => {
  const modelsDir = await createModelsDir(context, ["smart-turn/smart-turn-v3.2-cpu.onnx"]);
  const { load } = createLoader(modelsDir);
  await assert.rejects(load(), (error: unknown) => {
    assert.ok(error instanceof UnusableModelError);
    assert.match(
      error.message,
      /^The model smart-turn is not usable on this machine: answered 0\.\d+, expected 0\.2348/,
    );
    return true;
  });
});
