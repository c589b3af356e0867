import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { InferenceSession } from "onnxruntime-node";
import { describeProcessor } from "./processor.ts";

export interface PreparedModelOptions {
  /** Folder returned by `ensureModels`; prepared models are stored in its folder `prepared`. */
  modelsDir: string;
  /** Unique name, usable as a file name: `moonshine-base-encoder`. */
  name: string;
  /** The verified source file, relative to `modelsDir`. */
  source: string;
  /** Version of the way in which the model is made from its source. */
  recipe: string;
  /** Creates the model to prepare, a file or its bytes. Called if no prepared graph is stored. */
  make: () => Promise<string | Uint8Array>;
  session: Omit<InferenceSession.SessionOptions, "extra" | "graphOptimizationLevel">;
  /** `all` also lays tensors out for this processor. Default: `extended`. */
  optimization?: "extended" | "all";
  /** Processor the graph is optimized for. Default: the processor of this machine; set by tests only. */
  processor?: string;
}

const UNFINISHED_MS = 3_600_000;

/**
 * Keeps products of unsigned and signed 8-bit numbers exact. On x64 processors without VNNI, onnxruntime multiplies them with
 * an instruction that saturates at 16 bits; with this option it first makes the signed weights unsigned, at the same speed.
 * With VNNI and on ARM, whose instructions do not saturate, and for float models it has no effect.
 */
const EXACT_8_BIT = { x64quantprecision: "1" };

/**
 * Lets the threads of a model sleep while they wait for each other. By default they spin, which takes the processor from the
 * thread that they wait for if anything else runs: Kokoro with two threads on one free core took 1.4 times the processor
 * time, and 1.17 times on two free cores, where it was no faster (measured).
 */
const SLEEPING_THREADS = { intra_op: { allow_spinning: "0" } };

const RUN_SETTINGS = { ...EXACT_8_BIT, ...SLEEPING_THREADS };

/**
 * Opens a model from the graph that onnxruntime optimized and stored before, in a third to two thirds of the time that
 * optimizing takes. Optimizes and stores the graph if none is stored for this source, recipe, onnxruntime and processor. If
 * the folder is not writable, the model is opened without storing its graph.
 */
export async function openPreparedModel(options: PreparedModelOptions): Promise<InferenceSession> {
  const { InferenceSession: Session } = await import("onnxruntime-node");
  const folder = preparedFolder(options.modelsDir);
  const { processor, onnxruntime } = await describeRuntime(options.processor);
  const kept = path.join(folder, `${options.name}-${processor}-${await createKey(options, onnxruntime)}.ort`);
  if (await isFile(kept)) {
    try {
      return await Session.create(kept, {
        ...options.session,
        graphOptimizationLevel: "disabled",
        extra: { session: RUN_SETTINGS },
      });
    } catch {
      // Damaged: prepared again.
      await rm(kept, { force: true });
    }
  }
  const model = await options.make();
  const session: InferenceSession.SessionOptions = {
    ...options.session,
    graphOptimizationLevel: options.optimization ?? "extended",
    extra: { session: RUN_SETTINGS },
  };
  const create = async (created: InferenceSession.SessionOptions): Promise<InferenceSession> =>
    typeof model === "string" ? await Session.create(model, created) : await Session.create(model, created);
  const unfinished = `${kept}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true });
    const opened = await create({
      ...session,
      optimizedModelFilePath: unfinished,
      extra: { session: { ...RUN_SETTINGS, save_model_format: "ORT" } },
    });
    await settle(unfinished, kept);
    await removeOthers(folder, `${options.name}-`, processor, kept);
    return opened;
  } catch {
    // Fails too if the folder does not exist.
    await rm(unfinished, { force: true }).catch(() => {});
    return await create(session);
  }
}

/** Folder of prepared graphs and of the self-tests that passed with them. */
export function preparedFolder(modelsDir: string): string {
  return path.join(modelsDir, "prepared");
}

/** Version of onnxruntime, and digest of the processor: what prepared graphs and self-tests are valid for. */
export async function describeRuntime(
  description?: string,
): Promise<{ onnxruntime: string; processor: string }> {
  const { env } = await import("onnxruntime-node");
  const processor = createDigest([process.arch, description ?? (await describeProcessor())]).slice(0, 8);
  return { onnxruntime: env.versions.node ?? "unknown", processor };
}

/** Prepared graphs for this processor of the models whose names begin with `name`. */
export async function findPreparedGraphs(modelsDir: string, name: string): Promise<string[]> {
  const folder = preparedFolder(modelsDir);
  const { processor } = await describeRuntime();
  const files = await readdir(folder).catch(() => []);
  return files
    .filter((file) => file.startsWith(`${name}-`) && file.includes(`-${processor}-`) && file.endsWith(".ort"))
    .sort()
    .map((file) => path.join(folder, file));
}

/** Digest of everything but the processor that a prepared graph depends on. */
async function createKey(
  { modelsDir, source, recipe }: PreparedModelOptions,
  onnxruntime: string,
): Promise<string> {
  const { size, mtimeMs } = await stat(path.join(modelsDir, source));
  return createDigest([onnxruntime, EXACT_8_BIT, source, size, mtimeMs, recipe]).slice(0, 16);
}

function createDigest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Renames a file once all of it is on disk. */
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
 * Deletes graphs of the same name that an earlier source, recipe or onnxruntime left, and unfinished files older than an hour.
 * Graphs of other processors stay: machines may share the folder. Names without a processor are an earlier release's.
 */
async function removeOthers(folder: string, prefix: string, processor: string, kept: string): Promise<void> {
  const isOurs = new RegExp(`^${prefix}(${processor}-)?[0-9a-f]{16}\\.ort(\\.\\d+)?$`);
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
