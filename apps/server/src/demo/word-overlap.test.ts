import assert from "node:assert/strict";
import { test } from "node:test";
import { wordOverlap } from "./word-overlap.ts";

test("the same words overlap completely, regardless of case and punctuation", () => {
  assert.equal(wordOverlap("Okay. Is there any parking?", "okay is there any parking"), 1);
});

test("each missing word lowers the overlap", () => {
  assert.equal(wordOverlap("one two three four", "one two four"), 0.75);
});

test("words in another order do not count twice", () => {
  assert.equal(wordOverlap("a b", "b a"), 0.5);
});
