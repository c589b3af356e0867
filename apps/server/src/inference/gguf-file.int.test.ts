import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { requireGgufFile } from "./gguf-file.ts";

test("what is no GGUF file is refused in words, what looks like one is let through", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-gguf-"));
  try {
    const text = path.join(folder, "notes.txt");
    const model = path.join(folder, "model.gguf");
    await writeFile(text, "hello");
    await writeFile(model, "GGUF and more");
    await assert.rejects(requireGgufFile(path.join(folder, "none")), /cannot be read.*none.*ENOENT/);
    await assert.rejects(requireGgufFile(text), /is no GGUF model/);
    await requireGgufFile(model);
  } finally {
    await rm(folder, { recursive: true });
  }
});
