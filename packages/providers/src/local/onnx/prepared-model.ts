import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { InferenceSession } from "onnxruntime-node";

export interface PreparedModelOptions {
  /** What `ensureModels` returned; prepared models are kept in its folder `prepared`. */
  modelsDir: string;
  /** Unlike that of any other, fit for a file: `moonshine-base-encoder`. */
  name: string;
  /** The verified file, relative to `modelsDir`, that the model is made from. */
  source: string;
  /** To be changed with the way in which the model is made from its source. */
  recipe: string;
  /** The model to prepare: a file, or its bytes. Asked for where it is not kept yet. */
  make: () => Promise<string | Uint8Array>;
  session: InferenceSession.SessionOptions;
}

const UNFINISHED_MS = 3_600_000;

/**
 * Opens a model whose graph onnxruntime has optimised before and kept in its own format, which takes from a third
 * to two thirds of the time of doing so at every start. Prepares it where it is not kept, for this source and this
 * onnxruntime; where it cannot be written it is opened all the same.
 */
export async function openPreparedModel(options: PreparedModelOptions): Promise<InferenceSession> {
  const { InferenceSession: Session } = await import("onnxruntime-node");
  const folder = path.join(options.modelsDir, "prepared");
  const kept = path.join(folder, `${options.name}-${await keyOf(options)}.ort`);
  if (await isFile(kept)) {
    try {
      return await Session.create(kept, { ...options.session, graphOptimizationLevel: "disabled" });
    } catch {
      // Damaged: made anew.
      await rm(kept, { force: true });
    }
  }
  const model = await options.make();
  const session: InferenceSession.SessionOptions = {
    ...options.session,
    // Beyond this level a graph fits the processor that it was optimised on alone.
    graphOptimizationLevel: "extended",
  };
  const create = async (created: InferenceSession.SessionOptions): Promise<InferenceSession> =>
    typeof model === "string" ? await Session.create(model, created) : await Session.create(model, created);
  const unfinished = `${kept}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true });
    const opened = await create({
      ...session,
      optimizedModelFilePath: unfinished,
      extra: { session: { save_model_format: "ORT" } },
    });
    await settle(unfinished, kept);
    await removeOthers(folder, options.name, kept);
    return opened;
  } catch {
    // Where the folder is none this fails too.
    await rm(unfinished, { force: true }).catch(() => {});
    return await create(session);
  }
}

/** Of all that a prepared model depends on. */
async function keyOf({ modelsDir, source, recipe }: PreparedModelOptions): Promise<string> {
  const { env } = await import("onnxruntime-node");
  const location = path.join(modelsDir, source);
  const { size, mtimeMs } = await stat(location);
  const hash = createHash("sha256");
  hash.update(JSON.stringify([env.versions.node, process.arch, source, size, mtimeMs, recipe]));
  return hash.digest("hex").slice(0, 16);
}

/** Gives a file its name once all of it is on disk. */
async function settle(unfinished: string, kept: string): Promise<void> {
  const file = await open(unfinished, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, kept);
}

/**
 * Drops what was prepared under the same name from another source, by another recipe or another onnxruntime, and
 * what was never finished: nobody writes for an hour.
 */
async function removeOthers(folder: string, name: string, kept: string): Promise<void> {
  const isOurs = new RegExp(`^${name}-[0-9a-f]{16}\\.ort(\\.\\d+)?$`);
  for (const file of await readdir(folder)) {
    const location = path.join(folder, file);
    const isUnfinished = !file.endsWith(".ort");
    if (!isOurs.test(file) || location === kept) continue;
    if (isUnfinished && Date.now() - (await stat(location)).mtimeMs < UNFINISHED_MS) continue;
    await rm(location, { force: true });
  }
}

async function isFile(location: string): Promise<boolean> {
  return await stat(location).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
