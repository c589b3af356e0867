/**
 * Writes docs/reference: the public API of each package, read from its sources. With `--check` fails if the committed pages
 * differ.
 */
import { spawnSync } from "node:child_process";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const committed = path.join(root, "docs/reference");

function write(folder: string): void {
  // TypeDoc reads types by TypeScript 6, which the workspace tools/reference brings beside the compiler of the project.
  const { status, error } = spawnSync(
    process.execPath,
    ["node_modules/typedoc/bin/typedoc", "--out", folder],
    {
      cwd: path.join(root, "tools/reference"),
      stdio: "inherit",
    },
  );
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

async function readPages(folder: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for await (const page of glob("**/*.md", { cwd: folder }))
    pages.set(page, await readFile(path.join(folder, page), "utf8"));
  return pages;
}

if (process.argv.includes("--check")) {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-reference-"));
  try {
    write(folder);
    const [built, current] = [await readPages(folder), await readPages(committed)];
    const different = [...new Set([...built.keys(), ...current.keys()])].filter(
      (page) => built.get(page) !== current.get(page),
    );
    for (const page of different)
      console.error(
        `docs/reference/${page} does not match the sources: run \`npm run reference\` and commit it.`,
      );
    if (different.length > 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} else {
  await rm(committed, { recursive: true, force: true });
  write(committed);
}
