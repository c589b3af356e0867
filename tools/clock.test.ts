import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { findBareDates } from "./clock.ts";

test("a reading of the time of day is found by its line, a date of a known time is not", () => {
  const text =
    "const a = new Date(0);\nconst b = () => [new Date()];\n// new Date()\nclass Day extends Date {}\n";
  assert.deepEqual(findBareDates("a.ts", text), [2]);
});

test("a feature that reads the time of day fails the check; the clock itself and tests do not", async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), "parley-clock-"));
  t.after(async () => await rm(root, { recursive: true }));
  const folder = path.join(root, "apps/server/src/platform");
  await mkdir(folder, { recursive: true });
  const check = async (): Promise<string> => {
    const script = path.join(import.meta.dirname, "clock.ts");
    const run = promisify(execFile)(process.execPath, [script], { cwd: root });
    return await run.then(
      () => "",
      ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
    );
  };
  for (const file of ["clock.ts", "a.test.ts"])
    await writeFile(path.join(folder, file), "export const now = new Date();\n");
  assert.equal(await check(), "");
  await writeFile(path.join(folder, "a.ts"), "export const now = new Date();\n");
  assert.match(await check(), /^1 apps\/server\/src\/platform\/a\.ts:1: new Date\(\) reads the time of day/);
});
