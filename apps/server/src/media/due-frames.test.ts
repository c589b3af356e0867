import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DueFrames } from "./due-frames.ts";

test("each tick has one frame", () => {
  const frames = new DueFrames();
  assert.deepEqual(
    [7, 8, 9].map((tick) => frames.at(tick)),
    [1, 1, 1],
  );
});

test("the frames of dropped ticks are due once sockets have been read", async () => {
  const frames = new DueFrames();
  frames.at(0);
  // The wheel makes up for some ticks in one turn of the event loop.
  assert.deepEqual(
    [20, 21, 22].map((tick) => frames.at(tick)),
    [0, 0, 0],
  );
  await nextTurn();
  assert.equal(frames.at(23), 23);
  assert.equal(frames.at(24), 1);
});

test("a skipped tick counts the dropped ones before it", () => {
  const frames = new DueFrames();
  assert.equal(frames.skip(5), 1);
  assert.equal(frames.skip(6), 1);
  assert.equal(frames.skip(50), 44);
});

test("at most two seconds are made up for, and skipped ticks are not", async () => {
  const frames = new DueFrames();
  frames.at(0);
  frames.at(1000);
  await nextTurn();
  assert.equal(frames.at(1001), 101);
  frames.at(1050);
  assert.equal(frames.skip(1051), 1);
  await nextTurn();
  assert.equal(frames.at(1052), 1);
});
