import assert from "node:assert/strict";
import { test } from "node:test";
import { partFrames, speechFrames, wordEnds } from "./frames.ts";

const SPACE = 16;
const THIRD = 1 / 3;

test("silence around a phrase is dropped, except next to its first and last sound", () => {
  // Padding, two sounds, a mark, padding.
  assert.deepEqual(speechFrames(Float32Array.of(15, 4, 6, 12, 8), 45, true), { from: 11, to: 25 });
  // Without a mark the silence belongs to the last sound.
  assert.deepEqual(speechFrames(Float32Array.of(15, 4, 22, 8), 49, false), { from: 11, to: 29 });
});

test("words end in the middle of the following space", () => {
  const ids = [50, 51, SPACE, 52, SPACE, 53];
  assert.deepEqual(wordEnds(Float32Array.of(10, 3, 4, 2, 5, 3, 6, 9), ids, SPACE), [18, 25]);
});

test("a short phrase stays whole", () => {
  assert.deepEqual(partFrames({ from: 5, to: 44 }, [15, 25, 30], THIRD), [{ from: 5, to: 44 }]);
});

test("a phrase is split after the first word that ends half a second in", () => {
  assert.deepEqual(partFrames({ from: 10, to: 70 }, [15, 22, 33, 48, 60], THIRD), [
    { from: 10, to: 33 },
    { from: 33, to: 70 },
  ]);
});

test("the first part of a long phrase lasts until the rest is ready", () => {
  assert.deepEqual(partFrames({ from: 0, to: 160 }, [22, 33, 48, 60, 75], THIRD), [
    { from: 0, to: 60 },
    { from: 60, to: 160 },
  ]);
});

test("the first part of a slower voice is longer, and that of a faster one shorter", () => {
  const ends = [22, 33, 48, 60, 75, 85];
  const firstPart = (share: number) => partFrames({ from: 0, to: 160 }, ends, share)[0];
  assert.deepEqual(firstPart(0.5), { from: 0, to: 85 });
  assert.deepEqual(firstPart(0.2), { from: 0, to: 33 });
});

test("a phrase stays whole if no word ends in time", () => {
  assert.deepEqual(partFrames({ from: 0, to: 100 }, [10, 70], THIRD), [{ from: 0, to: 100 }]);
});
