import assert from "node:assert/strict";
import { test } from "node:test";
import { Certainty } from "./certainty.ts";

const pieces = ["</s>", "▁a", "▁table", "▁full", "▁for", ".", "▁", "4", "ly", "?"];

/** Logits with these probabilities; all other tokens have none. */
function logits(probabilities: Readonly<Record<string, number>>): Float32Array {
  return Float32Array.from(pieces, (piece) => Math.log(probabilities[piece] ?? 0));
}

function certaintyOf(text: string, steps: readonly (readonly [string, Record<string, number>])[]) {
  const certainty = new Certainty(pieces);
  for (const [piece, probabilities] of steps) certainty.add(pieces.indexOf(piece), logits(probabilities));
  const { confidence, lastWord } = certainty.of(text);
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  return {
    confidence: rounded(confidence),
    lastWord: lastWord.map(({ text: word, probability }) => [word, rounded(probability)]),
  };
}

test("alternatives of the last word are reported, with the end before it as an empty word", () => {
  const heard = certaintyOf("A table full.", [
    ["▁a", { "▁a": 1 }],
    ["▁table", { "▁table": 1 }],
    ["▁full", { "▁full": 0.6, "▁for": 0.2, ".": 0.1, "?": 0.05, ly: 0.05 }],
    [".", { ".": 0.9, "▁for": 0.1 }],
    ["</s>", { "</s>": 1 }],
  ]);
  assert.deepEqual(heard.lastWord, [
    ["full", 0.6],
    ["for", 0.2],
    ["", 0.15],
  ]);
  assert.equal(heard.confidence, Math.round((0.6 * 0.9) ** (1 / 5) * 100) / 100);
});

test("the certainty of a word of several tokens is the product of theirs, without its full stop", () => {
  const heard = certaintyOf("a fully?", [
    ["▁a", { "▁a": 1 }],
    ["▁full", { "▁full": 0.8, "▁": 0.2 }],
    ["ly", { ly: 0.5, ".": 0.5 }],
    ["?", { "?": 0.5, ".": 0.5 }],
  ]);
  assert.deepEqual(heard.lastWord, [["fully", 0.4]]);
});
