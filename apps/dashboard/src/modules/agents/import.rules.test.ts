import assert from "node:assert/strict";
import { test } from "node:test";
import { readExport, withoutReferences } from "./import.rules.ts";

test("only a file of an agent is read, and a fault says what is wrong", () => {
  assert.deepEqual(readExport('{"name":"Desk"}'), { agent: { name: "Desk" } });
  assert.deepEqual(readExport("[]"), { fault: "The file must be an object: { … }" });
  assert.match((readExport("{") as { fault: string }).fault, /^The file is not JSON/);
  assert.deepEqual(readExport("{}"), { fault: "The file is no exported agent: it has no name." });
});

test("references that mean nothing here are left out", () => {
  const agent = { name: "Desk", sipTrunkId: "a", folderId: "b" };
  assert.deepEqual(withoutReferences(agent, ["sipTrunkId"]), { name: "Desk", folderId: "b" });
  assert.deepEqual(withoutReferences(agent, []), agent);
});
