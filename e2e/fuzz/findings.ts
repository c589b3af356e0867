import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const folder = new URL("./seeds/", import.meta.url);

/** A fault, and what reproduces it. */
export interface Finding {
  target: string;
  /** `stall`, `answer`, `refusal`, `child` or `bystander`. */
  kind: string;
  description: string;
  /** Seed of the run that found it. */
  seed: number;
  inputs: readonly Buffer[];
}

interface StoredFinding extends Omit<Finding, "inputs"> {
  /** Base64 of each gzipped input: many inputs repeat themselves. */
  inputs: readonly string[];
}

/** Returns the file's path. */
export async function saveFinding(finding: Finding): Promise<string> {
  const { target, kind, seed, inputs } = finding;
  await mkdir(folder, { recursive: true });
  const file = new URL(`${target}-${kind}-${seed}.json`, folder);
  const stored: StoredFinding = {
    ...finding,
    inputs: inputs.map((input) => gzipSync(input).toString("base64")),
  };
  await writeFile(file, `${JSON.stringify(stored, undefined, 2)}\n`);
  return path.relative(".", file.pathname);
}

export async function readFinding(file: string | URL): Promise<Finding> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by saveFinding
  const stored = JSON.parse(await readFile(file, "utf8")) as StoredFinding;
  return { ...stored, inputs: stored.inputs.map((input) => gunzipSync(Buffer.from(input, "base64"))) };
}

/** Returns the findings of earlier runs, with which every run begins. */
export async function keptFindings(): Promise<Finding[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  return await Promise.all(files.map(async (name) => await readFinding(new URL(name, folder))));
}
