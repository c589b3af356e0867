import assert from "node:assert/strict";
import { test } from "node:test";
import { AudioTail } from "./audio-tail.ts";

const frame = (first: number): Int16Array => Int16Array.from({ length: 4 }, (_, at) => first + at);

function written(frames: number): AudioTail {
  const tail = new AudioTail(8);
  for (let index = 0; index < frames; index++) tail.write(frame(index * 4));
  return tail;
}

const samplesOf = (tail: AudioTail): number[] => [...tail.views(0)].flatMap((view) => [...view]);

test("audio is returned in the order in which it was written", () => {
  const tail = written(5);
  assert.equal(tail.samples, 20);
  assert.deepEqual(
    samplesOf(tail),
    Array.from({ length: 20 }, (_, at) => at),
  );
});

test("one view begins at the requested sample", () => {
  const views = [...written(5).views(6)].map((view) => [...view]);
  assert.deepEqual(views, [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [8, 9, 10, 11, 12, 13],
    [14, 15],
    [16, 17, 18, 19],
  ]);
});

test("at least the requested samples are kept when memory is reused", () => {
  const tail = written(5);
  tail.forgetBefore(9);
  assert.deepEqual(samplesOf(tail), [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  tail.write(frame(20));
  tail.write(frame(24));
  assert.deepEqual(samplesOf(tail).slice(-8), [20, 21, 22, 23, 24, 25, 26, 27]);
  tail.clear();
  assert.equal(tail.samples, 0);
  assert.deepEqual(samplesOf(tail), []);
});
