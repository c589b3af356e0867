import assert from "node:assert/strict";
import { test } from "node:test";
import { activeSpeechLevel, toTelephoneLevel } from "./loudness.ts";
import { shapePhrase } from "./shape-phrase.ts";

const RATE_HZ = 24_000;

/** A tone of `toneMs` between silences. */
function tone(amplitude: number, beforeMs: number, toneMs: number, afterMs: number): Float32Array {
  const samples = (ms: number): number => (ms * RATE_HZ) / 1000;
  const out = new Float32Array(samples(beforeMs + toneMs + afterMs));
  for (let at = 0; at < samples(toneMs); at++) {
    out[samples(beforeMs) + at] = amplitude * Math.sin((2 * Math.PI * 440 * at) / RATE_HZ);
  }
  return out;
}

test("silence around the sound is cut to 30 and 60 ms and the pause added", () => {
  const { samples: shaped, cutSamples } = shapePhrase(tone(0.3, 350, 500, 450), RATE_HZ, { pauseMs: 120 });
  assert.ok(Math.abs(cutSamples - 320 * 24) <= 5 * 24, `${cutSamples} samples cut`);
  const lengthMs = (shaped.length * 1000) / RATE_HZ;
  assert.ok(Math.abs(lengthMs - (30 + 500 + 60 + 120)) <= 10, `${lengthMs} ms`);
  assert.equal(shaped[0], 0);
  assert.ok(shaped.subarray(-120 * 24).every((sample) => sample === 0));
});

test("a phrase without sound is empty", () => {
  assert.equal(shapePhrase(new Float32Array(5000), RATE_HZ, { pauseMs: 250 }).samples.length, 0);
  assert.equal(shapePhrase(new Float32Array(0), RATE_HZ, { pauseMs: 250 }).samples.length, 0);
});

test("loud and quiet speech become equally loud, not counting pauses", () => {
  for (const amplitude of [0.05, 0.2, 0.8]) {
    const pcm = toTelephoneLevel(tone(amplitude, 0, 500, 500));
    const decibels = 20 * Math.log10(activeSpeechLevel(Float32Array.from(pcm, (sample) => sample / 32768)));
    assert.ok(Math.abs(decibels + 20) < 0.5, `${decibels} dBFS`);
  }
});

test("peaks far above the level are compressed, neither wrapped nor clipped", () => {
  const speech = tone(0.01, 0, 500, 0);
  speech[1000] = 0.9;
  const pcm = toTelephoneLevel(speech);
  assert.ok((pcm[1000] ?? 0) > 0.7 * 32767 && (pcm[1000] ?? 0) <= 32767);
});

test("silence stays silence", () => {
  assert.ok(toTelephoneLevel(new Float32Array(100)).every((sample) => sample === 0));
});
