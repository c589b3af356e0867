import assert from "node:assert/strict";
import { test } from "node:test";
import { Volume } from "./volume.ts";

const RATE_HZ = 8000;
const FRAME = 160;

function sine(amplitude: number, frames: number): Int16Array[] {
  return Array.from({ length: frames }, (_, frame) =>
    Int16Array.from({ length: FRAME }, (_each, at) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * 300 * (frame * FRAME + at)) / RATE_HZ)),
    ),
  );
}

const peakOf = (frame: Int16Array): number => frame.reduce((peak, each) => Math.max(peak, Math.abs(each)), 0);

test("quiet speech is amplified by the factor, and a volume of 1 changes nothing", () => {
  const [frame = new Int16Array(0)] = sine(5000, 1);
  const louder = new Volume(RATE_HZ, 2).apply(frame);
  assert.ok(louder.every((sample, at) => sample === 2 * (frame[at] ?? 0)));
  assert.equal(new Volume(RATE_HZ, 1).apply(frame), frame);
  assert.ok(new Volume(RATE_HZ, 0).apply(frame).every((sample) => sample === 0));
});

test("loud speech is held back without being cut, and the gain returns within half a second", () => {
  const volume = new Volume(RATE_HZ, 2);
  const frames = sine(25_000, 10).map((frame) => volume.apply(frame));
  for (const frame of frames) assert.ok(peakOf(frame) <= 30_000);
  // A sine that is only held back keeps its shape; a cut one has many samples at its peak.
  const last = frames.at(-1) ?? new Int16Array(0);
  assert.ok(last.filter((sample) => Math.abs(sample) > 29_900).length < FRAME / 10);
  const quiet = sine(5000, 25).map((frame) => volume.apply(frame));
  assert.ok(Math.abs(peakOf(quiet.at(-1) ?? new Int16Array(0)) - 10_000) < 100);
  assert.ok(peakOf(quiet[0] ?? new Int16Array(0)) < 8_000);
});
