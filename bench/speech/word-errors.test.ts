import assert from "node:assert/strict";
import { test } from "node:test";
import { countWordErrors, normalizeWords } from "./word-errors.ts";

const errors = (said: string, heard: string): number =>
  countWordErrors(normalizeWords(said), normalizeWords(heard));

test("two spellings of what was said are the same words", () => {
  for (const [written, words] of [
    ["29340", "two nine three four zero"],
    ["Thirty-three, 6, 92 and 10.", "thirty three six ninety two and ten"],
    ["Mr. Dashwood went 40 metres", "mister dashwood went forty meters"],
    ["007 isn't here", "zero zero seven isn't here"],
  ] as const) {
    assert.equal(normalizeWords(written).join(" "), words);
  }
});

test("word errors are substitutions, deletions and insertions", () => {
  assert.equal(errors("ten of clubs", "ten of clubs"), 0);
  assert.equal(errors("ten of clubs", "ten of gloves"), 1);
  assert.equal(errors("ten of clubs", "ten clubs"), 1);
  assert.equal(errors("ten of clubs", "ten of the clubs"), 1);
  assert.equal(errors("ten of clubs", ""), 3);
  assert.equal(errors("", "ten of clubs"), 3);
  assert.equal(errors("not an ill disposed young man", "not an old sposed young man"), 2);
});
