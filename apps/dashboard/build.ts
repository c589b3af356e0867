/**
 * `npm run pages`: builds the pages, and the widget for other pages, into a folder named after a hash of their sources, unless it exists. Runs after `npm ci`,
 * and before the first page is served if the sources have changed since.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";
import { locatePages } from "./pages.ts";

const widget = path.resolve(import.meta.dirname, "../widget");
const dist = path.join(import.meta.dirname, "dist");
/** A server that runs since before an update still serves its own. */
const KEPT_BUILDS = 3;
/** Smaller files gain nothing. */
const MIN_COMPRESSED_BYTES = 1_024;

async function buildOnce(): Promise<void> {
  const folder = await locatePages();
  if (await exists(folder)) return;
  const unfinished = path.join(dist, `unfinished-${process.pid}`);
  try {
    await build({ root: import.meta.dirname, logLevel: "error", build: { outDir: unfinished } });
    const widgetFolder = path.join(unfinished, "widget");
    await build({ root: widget, logLevel: "error", build: { outDir: widgetFolder } });
    await Promise.all([compressAll(unfinished), compressAll(widgetFolder)]);
    await rename(unfinished, folder).catch(async (error: unknown) => {
      // Another process has built the same.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeOldBuilds(folder);
}

async function compressAll(folder: string): Promise<void> {
  const assets = path.join(folder, "assets");
  const files = await readdir(assets);
  await Promise.all(files.map(async (file) => await compress(path.join(assets, file))));
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < MIN_COMPRESSED_BYTES) return;
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, zipped)]);
}

async function removeOldBuilds(newest: string): Promise<void> {
  const folders = (await readdir(dist)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const builds = await Promise.all(
    folders.map(async (name) => {
      const folder = path.join(dist, name);
      return { folder, builtAtMs: folder === newest ? Infinity : (await stat(folder)).mtimeMs };
    }),
  );
  const old = builds.sort((one, other) => other.builtAtMs - one.builtAtMs).slice(KEPT_BUILDS);
  await Promise.all(old.map(async ({ folder }) => await rm(folder, { recursive: true, force: true })));
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

await mkdir(dist, { recursive: true });
await buildOnce();
