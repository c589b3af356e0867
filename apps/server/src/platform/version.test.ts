import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readVersion } from "./version.ts";

const COMMIT = "3f9c2ab4d1e5f60718293a4b5c6d7e8f90a1b2c3";

test("the version names the commit of a branch, of a detached clone, or none without a clone", async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-version-"));
  context.after(async () => await rm(folder, { recursive: true }));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ version: "1.2.3" }));
  assert.equal(readVersion(folder), "1.2.3");
  await mkdir(path.join(folder, ".git/refs/heads"), { recursive: true });
  await writeFile(path.join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  assert.equal(readVersion(folder), "1.2.3");
  await writeFile(path.join(folder, ".git/refs/heads/main"), `${COMMIT}\n`);
  assert.equal(readVersion(folder), "1.2.3+3f9c2ab");
  await writeFile(path.join(folder, ".git/HEAD"), `${COMMIT}\n`);
  assert.equal(readVersion(folder), "1.2.3+3f9c2ab");
});
