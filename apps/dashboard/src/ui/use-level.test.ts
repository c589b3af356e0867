import assert from "node:assert/strict";
import { test } from "node:test";
import { loudnessOf } from "./use-level.ts";

test("silence is no loudness, speech is within, and nothing is above one", () => {
  assert.equal(loudnessOf(new Float32Array(8)), 0);
  const speech = loudnessOf(new Float32Array(8).fill(0.05));
  assert(speech > 0.5 && speech < 0.9);
  assert.equal(loudnessOf(new Float32Array(8).fill(1)), 1);
});
