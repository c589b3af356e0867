import assert from "node:assert/strict";
import { test } from "node:test";
import { labelsOf } from "./agent-labels.rules.ts";

test("agents of one name are told apart by their ids, others are called by their names", () => {
  const agents = [
    { id: "aaaaaaaa-0000", name: "Reception" },
    { id: "bbbbbbbb-0000", name: "Sales" },
    { id: "cccccccc-0000", name: "Reception" },
  ];
  assert.deepEqual(labelsOf(agents), ["Reception (aaaaaaaa)", "Sales", "Reception (cccccccc)"]);
});
