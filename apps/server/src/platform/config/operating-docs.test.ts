import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { type Variable, variables } from "./variables.ts";

test("docs/operating.md lists every variable with its default and description", async () => {
  const docs = await readFile(new URL("../../../../../docs/operating.md", import.meta.url), "utf8");
  for (const [name, { description, default: value }] of Object.entries<Variable>(variables)) {
    const row = `| \`${name}\` | ${value === undefined ? "" : `\`${value}\``} | ${description} |`;
    assert.ok(docs.includes(row), `missing or different: ${row}`);
  }
});
