import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readFields } from "../local/onnx/protobuf.ts";
import { MODEL_CATALOG, type ModelGroup } from "../models/catalog.ts";
import { ensureModels } from "../models/fetch.ts";

/** Fields of onnx.proto3: graph of a model, initializer of a graph, type and raw data of a tensor. */
const GRAPH = 7;
const INITIALIZER = 5;
const DATA_TYPE = 2;
const RAW_DATA = 9;
/** Element types: float, uint8, int8 and float16. Others are indices. */
const WEIGHT_TYPES = new Set([1, 2, 3, 10]);
const SMALL_TENSOR_BYTES = 4096;

export interface DamagedModels {
  modelsDir: string;
  remove: () => Promise<void>;
}

/**
 * Models folder that links to the real files of the groups, without their prepared graphs, but for the files in `damaged`:
 * these are copies whose weights are inverted and that count as verified, as if they had been damaged after their download.
 */
export async function createDamagedModels(
  damaged: readonly string[],
  groups: readonly ModelGroup[],
): Promise<DamagedModels> {
  const real = await ensureModels({ groups });
  const modelsDir = await mkdtemp(path.join(tmpdir(), "parley-models-"));
  for (const file of groups.flatMap((group) => MODEL_CATALOG[group].files)) {
    const [from, to] = [path.join(real, file.path), path.join(modelsDir, file.path)];
    await mkdir(path.dirname(to), { recursive: true });
    if (damaged.includes(file.path)) await writeFile(to, invertWeights(new Uint8Array(await readFile(from))));
    else await symlink(from, to);
    const { size, mtimeMs } = await stat(to);
    await writeFile(`${to}.verified`, JSON.stringify({ sha256: file.sha256, size, mtimeMs }));
  }
  return { modelsDir, remove: async () => await rm(modelsDir, { recursive: true, force: true }) };
}

/** Inverts the bytes of large tensors in place; the graph stays valid. */
function invertWeights(model: Uint8Array): Uint8Array {
  const graph = readFields(model).find(({ number }) => number === GRAPH);
  for (const initializer of readFields(graph?.payload ?? model).filter(
    ({ number }) => number === INITIALIZER,
  )) {
    const fields = readFields(initializer.payload);
    const data = fields.find(({ number }) => number === RAW_DATA)?.payload;
    const type = fields.find(({ number }) => number === DATA_TYPE)?.varint ?? 0;
    if (data === undefined || !WEIGHT_TYPES.has(type) || data.length < SMALL_TENSOR_BYTES) continue;
    for (const [at, byte] of data.entries()) data[at] = byte ^ 0x2a;
  }
  return model;
}
