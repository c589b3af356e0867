import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { CallDriver } from "./testing/call-driver.ts";

/** The example of the README. */
async function example(): Promise<void> {
  const call = new CallDriver({ replies: ["We are open from nine to five."] });
  call.start();
  await call.say("when are you open", 800);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: when are you open", "agent: We are open from nine to five."]);
}

test("the README's example runs, and is the code of this test", async () => {
  await example();
  const folder = import.meta.dirname;
  const source = await readFile(import.meta.filename, "utf8");
  const readme = await readFile(path.join(folder, "../README.md"), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "no example";
  const lines = code.trimEnd().split("\n");
  assert.ok(source.includes(lines.map((line) => `  ${line}\n`).join("")), code);
});
