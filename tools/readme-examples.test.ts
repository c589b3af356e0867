import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";

const root = path.join(import.meta.dirname, "..");

interface Example {
  file: string;
  code: string;
  output: string;
}

/** The TypeScript blocks of the packages' READMEs that are followed by their output. */
async function findExamples(): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const file of glob("packages/*/README.md", { cwd: root })) {
    const text = await readFile(path.join(root, file), "utf8");
    const blocks = text.matchAll(/```ts\n(.*?)```\n\nPrints:\n\n```text\n(.*?)```/gs);
    for (const [, code = "", output = ""] of blocks) examples.push({ file, code, output });
  }
  return examples;
}

describe("an example in the README of a package", async () => {
  const examples = await findExamples();

  for (const name of ["audio", "contract", "rtp", "sip"]) {
    test(`is found: ${name}`, () => {
      assert.ok(examples.some(({ file }) => file === path.join("packages", name, "README.md")));
    });
  }

  for (const { file, code, output } of examples) {
    test(`prints its output: ${file}`, () => {
      const options = { cwd: root, encoding: "utf8", timeout: 30_000 } as const;
      const run = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", code], options);
      assert.deepEqual([run.status, run.stdout, run.stderr], [0, output, ""]);
    });
  }
});

test("the steps of the answer that the project's README shows add up to its time", async () => {
  const [, totalMs = "", steps = ""] =
    /answered after (\d+) ms · (.+)/.exec(await readFile(path.join(root, "README.md"), "utf8")) ?? [];
  const sumMs = [...steps.matchAll(/(\d+) ms/g)].reduce((sum, [, ms]) => sum + Number(ms), 0);
  assert.ok(Math.abs(sumMs - Number(totalMs)) <= 3, `${steps} are ${sumMs} ms of ${totalMs}`);
});
