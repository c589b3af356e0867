import assert from "node:assert/strict";
import { test } from "node:test";
import { shiftPitch } from "./pitch-shift.ts";
import { medianPitch, trackPitch } from "./pitch.ts";
import { speechRate } from "./speech-rate.ts";

const RATE_HZ = 16_000;

/** A voice of this pitch: its first ten harmonics, in syllables of this length with pauses as long. */
function voice(hz: number, seconds: number, syllableMs = 0): Float32Array {
  return Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => {
    const isPause = syllableMs > 0 && Math.floor((at * 1000) / RATE_HZ / syllableMs) % 2 === 1;
    let sample = 0;
    for (let harmonic = 1; harmonic <= 10; harmonic++)
      sample += Math.sin((2 * Math.PI * hz * harmonic * at) / RATE_HZ) / harmonic;
    return sample * (isPause ? 0.001 : 0.2);
  });
}

const toPcm = (samples: Float32Array): Int16Array => Int16Array.from(samples, (sample) => sample * 32_767);

function pitchOf(pcm: Int16Array): number {
  return medianPitch(trackPitch(pcm, RATE_HZ)) ?? 0;
}

test("the pitch of low and high voices is found within 2 %", () => {
  for (const hz of [75, 110, 165, 220, 350]) {
    const found = pitchOf(toPcm(voice(hz, 1)));
    assert.ok(Math.abs(found / hz - 1) < 0.02, `${hz}: ${found}`);
  }
});

test("silence and noise have no pitch", () => {
  assert.deepEqual(trackPitch(new Int16Array(RATE_HZ), RATE_HZ), []);
  assert.equal(medianPitch([]), undefined);
});

test("a shift changes the pitch by its factor and keeps the length", () => {
  const original = toPcm(voice(140, 1));
  for (const factor of [0.7, 0.9, 1.15, 1.5]) {
    const shifted = shiftPitch(original, RATE_HZ, factor);
    assert.equal(shifted.length, original.length);
    const ratio = pitchOf(shifted) / 140;
    assert.ok(Math.abs(ratio / factor - 1) < 0.03, `${factor}: ${ratio}`);
  }
  assert.equal(shiftPitch(original, RATE_HZ, 1), original);
});

test("syllables are counted, and pauses are not speech", () => {
  // A syllable of 120 ms, a pause of 120 ms.
  const rate = speechRate(voice(120, 3, 120), RATE_HZ);
  assert.ok(rate > 5 && rate < 9, String(rate));
  assert.equal(speechRate(new Float32Array(RATE_HZ), RATE_HZ), 0);
});
