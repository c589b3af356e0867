import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Platform } from "./platform.ts";

const run = promisify(execFile);

/** Creates the suites of the example agents by the example's script, and runs them by the command that it prints. */
export async function assertSuitesPass(
  platform: Platform,
  apiKey: string,
  expected: readonly string[],
): Promise<void> {
  const env = { ...process.env, PARLEY_URL: platform.url, PARLEY_API_KEY: apiKey };
  const start = ["-r", "./tools/require-node.cjs"];
  const { stdout: command } = await run(process.execPath, [...start, "examples/test-suites.ts"], { env });
  const names = [...command.matchAll(/--suite "([^"]+)"/g)].map(([, name = ""]) => name);
  assert.deepEqual(names.toSorted(), expected.toSorted());
  const suites = names.flatMap((name) => ["--suite", name]);
  // Rejects unless every case passed.
  const { stdout } = await run(process.execPath, [...start, "tools/parley.ts", "test", ...suites], { env });
  assert.equal(stdout.match(/^## Passed: /gm)?.length, names.length, stdout);
}
