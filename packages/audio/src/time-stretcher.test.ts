import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeStretcher } from "./time-stretcher.ts";

const RATE_HZ = 16_000;

/** Two seconds of a voiced sound: a fundamental with overtones, whose loudness changes like syllables do. */
const SPEECH = Int16Array.from({ length: 2 * RATE_HZ }, (_, at) => {
  const seconds = at / RATE_HZ;
  const overtones = [1, 2, 3, 4].map((n) => Math.sin(2 * Math.PI * 150 * n * seconds) / n);
  const syllables = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds);
  return Math.round(6000 * syllables * overtones.reduce((sum, each) => sum + each, 0));
});

function stretch(pcm: Int16Array, speed: number, chunk = 320): Int16Array {
  const stretcher = new TimeStretcher(RATE_HZ, speed);
  const parts: Int16Array[] = [];
  for (let at = 0; at < pcm.length; at += chunk) parts.push(stretcher.process(pcm.subarray(at, at + chunk)));
  parts.push(stretcher.flush());
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

/** Pitch by autocorrelation in the middle of the audio. */
function pitchOf(pcm: Int16Array): number {
  const middle = pcm.subarray(pcm.length / 2 - 2000, pcm.length / 2 + 2000);
  const similarity = (lag: number): number =>
    middle.subarray(lag).reduce((sum, sample, at) => sum + sample * (middle[at] ?? 0), 0) /
    (middle.length - lag);
  const lags = Array.from({ length: 120 }, (_, index) => 60 + index);
  const best = lags.reduce((a, b) => (similarity(b) > similarity(a) ? b : a));
  return RATE_HZ / best;
}

for (const speed of [0.5, 0.7, 1.3, 2]) {
  test(`speech at ${speed} times the speed has the length for it, the same pitch, and no gap`, () => {
    const out = stretch(SPEECH, speed);
    assert.ok(Math.abs(out.length - SPEECH.length / speed) <= 1, `${out.length}`);
    assert.ok(Math.abs(pitchOf(out) - 150) < 3, `${pitchOf(out)} Hz`);
    for (let at = 0; at + 400 < out.length; at += 400) {
      const peak = out.subarray(at, at + 400).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      assert.ok(peak > 1_000, `silence at ${at}`);
    }
  });
}

test("the size of the chunks does not matter, and a stretcher can be used again", () => {
  const whole = stretch(SPEECH, 1.4, SPEECH.length);
  assert.deepEqual(stretch(SPEECH, 1.4, 77), whole);
  const stretcher = new TimeStretcher(RATE_HZ, 1.4);
  for (let time = 0; time < 2; time++) {
    const first = stretcher.process(SPEECH);
    assert.deepEqual([...first, ...stretcher.flush()], [...whole]);
  }
});

test("less audio than a segment is not lost", () => {
  const out = stretch(SPEECH.subarray(0, 200), 0.5);
  assert.equal(out.length, 400);
  assert.ok(out.some((sample) => Math.abs(sample) > 1_000));
});
