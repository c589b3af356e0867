import assert from "node:assert/strict";
import { test } from "node:test";
import { SampleBuffer, SampleRing } from "./samples.ts";

/** Ascending samples, so that each value shows its position. */
const ramp = (from: number, count: number): Int16Array =>
  Int16Array.from({ length: count }, (_, at) => from + at);

test("the ring returns the last samples in order, in any sizes of writes", () => {
  for (const size of [1, 3, 8, 10, 25]) {
    const ring = new SampleRing(10);
    for (let at = 0; at < 50; at += size) ring.write(ramp(at, Math.min(size, 50 - at)));
    assert.deepEqual(ring.last(10), ramp(40, 10), `written by ${size}`);
    assert.deepEqual(ring.last(4), ramp(46, 4));
  }
});

test("the ring returns no more samples than it has", () => {
  const ring = new SampleRing(10);
  assert.equal(ring.last(5).length, 0);
  ring.write(ramp(0, 3));
  assert.deepEqual(ring.last(5), ramp(0, 3));
  ring.write(ramp(3, 20));
  assert.deepEqual(ring.last(50), ramp(13, 10));
});

test("the buffer grows and removes samples at its front", () => {
  const buffer = new SampleBuffer(4);
  for (let at = 0; at < 30; at += 3) buffer.append(ramp(at, 3));
  assert.deepEqual(buffer.view(), ramp(0, 30));
  assert.deepEqual(buffer.shift(12), ramp(0, 12));
  buffer.append(ramp(30, 5));
  assert.deepEqual(buffer.view(), ramp(12, 23));
});
