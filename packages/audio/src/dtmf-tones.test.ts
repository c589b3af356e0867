import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDtmf } from "./dtmf-tones.ts";
import { decodePcmu, encodePcmu } from "./g711.ts";

const FREQUENCIES = [697, 770, 852, 941, 1209, 1336, 1477, 1633];
const KEYS: Readonly<Record<string, string>> = {
  "697,1209": "1",
  "697,1336": "2",
  "697,1477": "3",
  "697,1633": "A",
  "770,1209": "4",
  "770,1336": "5",
  "770,1477": "6",
  "770,1633": "B",
  "852,1209": "7",
  "852,1336": "8",
  "852,1477": "9",
  "852,1633": "C",
  "941,1209": "*",
  "941,1336": "0",
  "941,1477": "#",
  "941,1633": "D",
};

/** Power at one frequency (Goertzel), as a fraction of the total. */
function shareOf(frequencyHz: number, pcm: Int16Array, sampleRateHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz);
  let [before, last, power] = [0, 0, 0];
  for (const sample of pcm) {
    [before, last] = [last, sample + coefficient * last - before];
    power += sample * sample;
  }
  return power === 0
    ? 0
    : (2 * (before ** 2 + last ** 2 - coefficient * before * last)) / (pcm.length * power);
}

/** Detects keys like a receiver: two frequencies that together are nearly all of the sound. */
function hear(pcm: Int16Array, sampleRateHz: number): string {
  const samples = (200 * sampleRateHz) / 1000;
  let heard = "";
  for (let at = 0; at < pcm.length; at += samples) {
    const tone = pcm.subarray(at, at + samples / 2);
    const shares = FREQUENCIES.map((frequency) => shareOf(frequency, tone, sampleRateHz));
    const strong = FREQUENCIES.filter((_, index) => (shares[index] ?? 0) > 0.25);
    assert.ok(shares.reduce((sum, share) => sum + share, 0) > 0.9);
    assert.ok(pcm.subarray(at + samples / 2, at + samples).every((sample) => sample === 0));
    heard += KEYS[strong.join()] ?? "?";
  }
  return heard;
}

test("every key has its two frequencies, at both rates and through G.711", () => {
  const keys = "0123456789*#ABCD";
  for (const sampleRateHz of [8000, 16_000]) {
    assert.equal(hear(renderDtmf(keys, sampleRateHz), sampleRateHz), keys);
  }
  const pcm = renderDtmf(keys, 8000);
  const coded = new Uint8Array(pcm.length);
  encodePcmu(pcm, coded);
  const decoded = new Int16Array(pcm.length);
  decodePcmu(coded, decoded);
  assert.equal(
    hear(
      decoded.map((sample) => (Math.abs(sample) < 16 ? 0 : sample)),
      8000,
    ),
    keys,
  );
});

test("a pause is half a second of silence, and an invalid key is rejected", () => {
  assert.equal(renderDtmf("w1w", 8000).length, 8000 + 1600);
  assert.ok(renderDtmf("w", 8000).every((sample) => sample === 0));
  assert.equal(renderDtmf("", 8000).length, 0);
  for (const keys of ["x", "1-2", "a", "é"]) assert.throws(() => renderDtmf(keys, 8000), RangeError);
});
