import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { rankPassages, withoutRepetitions } from "./rank-passages.rules.ts";

const candidates = (similarities: readonly number[], firstId = 1) => ({
  ids: Float64Array.from(similarities, (_, at) => firstId + at),
  similarities: Float32Array.from(similarities),
});
const idsOf = (ranked: readonly { id: number }[]) => ranked.map(({ id }) => id);

test("the best of several bases come first, as a sort of all of them says", () => {
  const random = seededRandom(3);
  const values = Array.from({ length: 2_000 }, () => Math.fround(random()));
  const sorted = values
    .map((value, at) => ({ value, id: at + 1 }))
    .sort((a, b) => b.value - a.value || a.id - b.id);
  const bases = [candidates(values.slice(0, 700)), candidates(values.slice(700), 701)];
  const ranked = rankPassages(bases, [], { limit: 20, threshold: 0 });
  assert.deepEqual(idsOf(ranked), idsOf(sorted.slice(0, 20)));
});

test("a rare word outweighs a small difference in meaning, and a frequent one does not", () => {
  const base = candidates(Array.from({ length: 1_000 }, (_, at) => (at === 0 ? 0.5 : at === 1 ? 0.4 : 0.1)));
  const best = (words: readonly number[][]) => rankPassages([base], words, { limit: 1, threshold: 0 })[0]?.id;
  assert.equal(best([]), 1);
  assert.equal(best([[2]]), 2);
  assert.equal(best([Array.from({ length: 501 }, (_, at) => at + 2)]), 1);
});

test("passages below the threshold are left out, and no score is negative", () => {
  const base = candidates([0.4, 0.2, -0.5]);
  assert.deepEqual(idsOf(rankPassages([base], [], { limit: 5, threshold: 0.3 })), [1]);
  assert.equal(rankPassages([base], [], { limit: 5, threshold: 0 }).at(-1)?.score, 0);
  assert.deepEqual(rankPassages([], [[1]], { limit: 5, threshold: 0 }), []);
  const byWords = rankPassages([base], [[1, 99], [99]], { limit: 5, threshold: 0, hasUncompared: true });
  assert.deepEqual(byWords[0], { id: 99, score: 1 });
});

test("the same text is given once, at its best place", () => {
  const passages = [
    { id: 1, heading: "A", text: "x" },
    { id: 2, heading: "A", text: "x" },
    { id: 3, heading: "B", text: "x" },
  ];
  assert.deepEqual(idsOf(withoutRepetitions(passages)), [1, 3]);
});
