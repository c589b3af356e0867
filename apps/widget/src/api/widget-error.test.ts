import assert from "node:assert/strict";
import { test } from "node:test";
import { describeWait, explainAnswer } from "./widget-error.ts";

test("a limit says when to try again", () => {
  assert.equal(describeWait("12"), "Try again in 12 seconds.");
  assert.equal(describeWait("91"), "Try again in 2 minutes.");
  assert.equal(describeWait("86400"), "Try again in 24 hours.");
  for (const unusable of [null, "", "soon", "-1", "Infinity"])
    assert.equal(describeWait(unusable), "Try again later.");
});

test("answers are told apart by what the visitor can do", () => {
  const codeOf = (status: number) => explainAnswer(status, null, "").code;
  assert.deepEqual([402, 403, 404, 429, 503, 500, 400].map(codeOf), [
    "not_available",
    "page_not_allowed",
    "not_available",
    "limit_reached",
    "busy",
    "busy",
    "refused",
  ]);
});
