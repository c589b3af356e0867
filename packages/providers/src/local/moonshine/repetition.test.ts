import assert from "node:assert/strict";
import { test } from "node:test";
import { findLoop } from "./repetition.ts";

test("a repeating phrase is kept once", () => {
  const phrase = [40, 41, 42];
  assert.equal(findLoop([7, 8, ...phrase, ...phrase, ...phrase, ...phrase]), 5);
  assert.equal(findLoop([7, ...Array.from({ length: 8 }, () => 40)]), 2);
});

test("digits and words that people do repeat are not a loop", () => {
  assert.equal(findLoop([5, 5, 5, 5, 5]), undefined);
  assert.equal(findLoop([1, 2, 1, 2, 1, 2]), undefined);
  assert.equal(findLoop([]), undefined);
});
