import assert from "node:assert/strict";
import { test } from "node:test";
import { Keyterms } from "./keyterms.ts";

/** One token per letter: its place in the alphabet. */
const encode = (text: string): number[] =>
  text
    .toLowerCase()
    .split("")
    .map((letter) => letter.charCodeAt(0) - 97);
const terms = new Keyterms(["abc"], encode);

/** Logits of 26 tokens, all zero but these. */
function logitsOf(values: Readonly<Record<string, number>>): Float32Array {
  const logits = new Float32Array(26);
  for (const [letter, value] of Object.entries(values)) logits[encode(letter)[0] ?? 0] = value;
  return logits;
}

const choose = (values: Readonly<Record<string, number>>, heard: string, best: string): string => {
  const token = terms.choose(logitsOf(values), encode(heard), encode(best)[0] ?? 0);
  return String.fromCharCode(97 + token);
};

test("a term begins only if it is nearly as likely as what was heard", () => {
  assert.equal(choose({ x: 6, a: 5 }, "", "x"), "a");
  assert.equal(choose({ x: 6, a: 4 }, "", "x"), "x");
});

test("a term that has begun is continued more readily, and nothing is favored after its end", () => {
  assert.equal(choose({ x: 6, b: 3.5 }, "a", "x"), "b");
  assert.equal(choose({ x: 6, c: 3.5 }, "xyzab", "x"), "c");
  assert.equal(choose({ x: 6, c: 3.5 }, "a", "x"), "x");
  assert.equal(choose({ x: 6, b: 3.5, c: 3.5 }, "abc", "x"), "x");
});
