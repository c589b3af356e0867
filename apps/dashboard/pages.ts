/** The built pages: where they are, and how they come into being. Runs in the server, and imports nothing large. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";

const dashboard = import.meta.dirname;
const root = path.resolve(dashboard, "../..");
/** Everything that the pages are built from, relative to the root. */
const SOURCES = [
  "apps/dashboard/{index.html,build.ts,vite.config.ts,package.json}",
  "apps/dashboard/{src,vite}/**/*.{ts,tsx,css}",
  "apps/widget/{vite.config.ts,package.json,tsconfig.json}",
  "apps/widget/src/**/*.{ts,tsx,css}",
  "packages/{client,contract}/src/**/*.ts",
  "package-lock.json",
];
const BUILD_DEADLINE_MS = 300_000;

let building: Promise<void> | undefined;

/**
 * Returns the folder of the built pages. If the sources have changed since the last build, builds them first, in a process of
 * its own: this takes some seconds, once after an update.
 *
 * @throws Error if the sources do not compile.
 */
export async function findPages(): Promise<string> {
  const folder = await locatePages();
  if (existsSync(folder)) return folder;
  building ??= runBuild().finally(() => (building = undefined));
  await building;
  return folder;
}

/** Folder of the pages of the present sources, built or not. Its name is a hash of them. */
export async function locatePages(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await listSources()) {
    hash.update(`${file}\0`);
    hash.update(await readFile(path.join(root, file)));
  }
  return path.join(dashboard, "dist", hash.digest("hex").slice(0, 16));
}

async function listSources(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(SOURCES, { cwd: root })) {
    const name = file.replaceAll("\\", "/");
    if (!/\.test\.tsx?$/.test(name)) files.push(name);
  }
  return files.sort();
}

async function runBuild(): Promise<void> {
  const child = spawn(process.execPath, [path.join(dashboard, "build.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: BUILD_DEADLINE_MS,
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const [code] = await new Promise<[number | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve([status]));
  });
  if (code !== 0) throw new Error(`The pages could not be built. Try it by hand: npm run pages\n${output}`);
}
