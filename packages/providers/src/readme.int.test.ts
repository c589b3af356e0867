import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { Dialogue } from "@parley/conversation";
import { createOpenAiCompatibleModel } from "./openai-compatible/openai-compatible.ts";
import { startScriptedOpenAi } from "./testing/index.ts";

/** The example of the README. */
async function example(): Promise<void> {
  const server = await startScriptedOpenAi({ reply: () => ({ text: "From nine to five." }) });
  const model = createOpenAiCompatibleModel({ baseUrl: `${server.url}/v1`, model: "scripted" });
  const dialogue = new Dialogue({ model, instructions: "You answer the phone of Bakery Miller." });
  const input = { type: "message", text: "When are you open?" } as const;
  let text = "";
  for await (const part of dialogue.respond(input, new AbortController())) {
    if (part.type === "text") text += part.text;
  }
  assert.equal(text, "From nine to five.");
  await model.close();
  await server.close();
}

test("the README's example runs, and is the code of this test", async () => {
  await example();
  const source = await readFile(import.meta.filename, "utf8");
  const readme = await readFile(path.join(import.meta.dirname, "../README.md"), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "no example";
  const lines = code.trimEnd().split("\n");
  assert.ok(source.includes(lines.map((line) => `  ${line}\n`).join("")), code);
});
