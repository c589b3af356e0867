import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { requireGgufFile } from "./gguf-file.ts";

test("a file that is not a GGUF model is rejected", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-gguf-"));
  try {
    const text = path.join(folder, "notes.txt");
    const model = path.join(folder, "model.gguf");
    await writeFile(text, "hello");
    await writeFile(model, "GGUF and more");
    await assert.rejects(requireGgufFile(path.join(folder, "none")), /none cannot be read .*ENOENT/);
    await assert.rejects(requireGgufFile(text), /is not a GGUF model/);
    await requireGgufFile(model);
  } finally {
    await rm(folder, { recursive: true });
  }
});
