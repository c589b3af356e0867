import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "@parley/conversation/error-message";
import { MODEL_CATALOG } from "../../models/catalog.ts";
import {
  findWrongAnswer,
  KNOWN_ANSWERS,
  type ModelAnswer,
  type TestedGroup,
} from "../../models/known-answers/known-answers.ts";
import { describeRuntime, findPreparedGraphs, preparedFolder } from "../onnx/prepared-model.ts";

/** A model that cannot be opened on this machine, or gives wrong answers on it. */
export class UnusableModelError extends Error {
  override readonly name = "UnusableModelError";
  readonly group: TestedGroup;

  constructor(group: TestedGroup, reason: string, cause?: unknown) {
    super(`The model ${group} is not usable on this machine: ${reason}`, { cause });
    this.group = group;
  }
}

export interface LoadTestedOptions<Model> {
  /** Folder returned by `ensureModels`. */
  modelsDir: string;
  group: TestedGroup;
  load: () => Promise<Model>;
  ask: (model: Model) => Promise<ModelAnswer>;
}

interface Closable {
  close: () => Promise<void>;
}

/**
 * Loads a model. If it has not passed its self-test on this processor with these files and prepared graphs, asks it the
 * questions with known answers. If it fails, its prepared graphs are created again once, because they may be damaged.
 *
 * @throws `UnusableModelError` if the model cannot be opened or answers wrongly.
 */
export async function loadTested<Model extends Closable>(options: LoadTestedOptions<Model>): Promise<Model> {
  const { modelsDir, group } = options;
  const oldGraphs = await findPreparedGraphs(modelsDir, group);
  try {
    return await loadAndTest(options);
  } catch (error) {
    if (oldGraphs.length === 0) throw toUnusable(group, error);
  }
  for (const graph of oldGraphs) await rm(graph, { force: true });
  try {
    return await loadAndTest(options);
  } catch (error) {
    throw toUnusable(group, error);
  }
}

function toUnusable(group: TestedGroup, error: unknown): UnusableModelError {
  if (error instanceof UnusableModelError) return error;
  return new UnusableModelError(group, errorMessage(error), error);
}

async function loadAndTest<Model extends Closable>(options: LoadTestedOptions<Model>): Promise<Model> {
  const { modelsDir, group, load, ask } = options;
  const model = await load();
  try {
    if (await hasPassed(modelsDir, group)) return model;
    const fault = findWrongAnswer(group, await ask(model));
    if (fault !== undefined) throw new UnusableModelError(group, fault);
    await recordPass(modelsDir, group);
    return model;
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function hasPassed(modelsDir: string, group: TestedGroup): Promise<boolean> {
  const record = await readFile(await locateRecord(modelsDir, group), "utf8").catch(() => "");
  return record === (await describeState(modelsDir, group));
}

/** Records a passed test. If the folder is not writable the model is tested at every start. */
async function recordPass(modelsDir: string, group: TestedGroup): Promise<void> {
  const location = await locateRecord(modelsDir, group);
  const state = await describeState(modelsDir, group);
  await mkdir(path.dirname(location), { recursive: true })
    .then(async () => await writeFile(location, state))
    .catch(() => undefined);
}

async function locateRecord(modelsDir: string, group: TestedGroup): Promise<string> {
  const { processor } = await describeRuntime();
  return path.join(preparedFolder(modelsDir), `${group}-${processor}.passed.json`);
}

/** Describes everything for which a passed self-test is valid. */
async function describeState(modelsDir: string, group: TestedGroup): Promise<string> {
  const sources = MODEL_CATALOG[group].files.map((file) => path.join(modelsDir, file.path));
  const files = await Promise.all(
    [...sources, ...(await findPreparedGraphs(modelsDir, group))].map(async (location) => {
      const { size, mtimeMs } = await stat(location);
      return [path.relative(modelsDir, location), size, mtimeMs];
    }),
  );
  return JSON.stringify({ runtime: await describeRuntime(), expected: KNOWN_ANSWERS[group], files });
}
