import assert from "node:assert/strict";
import { test } from "node:test";
import { LossConcealer } from "./loss-concealer.ts";

/** A vowel-like sound: harmonics of the pitch that decrease with frequency. */
function vowel(pitchHz: number, rateHz: number, samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, i) => {
    let sum = 0;
    for (let harmonic = 1; harmonic * pitchHz < 3400; harmonic++) {
      sum += Math.sin((2 * Math.PI * pitchHz * harmonic * i) / rateHz) / harmonic;
    }
    return Math.round(6000 * sum);
  });
}

function power(pcm: Int16Array): number {
  return pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length;
}

function largestStep(pcm: Int16Array): number {
  return pcm.reduce(
    (largest, sample, i) => Math.max(largest, i === 0 ? 0 : Math.abs(sample - (pcm[i - 1] ?? 0))),
    0,
  );
}

for (const rateHz of [8000, 16000] as const) {
  const frame = rateHz / 50;

  for (const pitchHz of [80, 125, 190, 240]) {
    test(`one lost frame of a ${pitchHz} Hz voice at ${rateHz} Hz is continued in phase`, () => {
      const sound = vowel(pitchHz, rateHz, frame * 6);
      const concealer = new LossConcealer(rateHz);
      for (let i = 0; i < 5; i++) {
        concealer.good(sound.slice(i * frame, (i + 1) * frame));
      }
      const concealed = concealer.conceal();
      assert.equal(concealed.length, frame);
      const first = Math.floor(frame / 2);
      const error = concealed.slice(0, first).map((sample, i) => sample - (sound[5 * frame + i] ?? 0));
      const snrDb = 10 * Math.log10(power(sound) / power(error));
      assert.ok(snrDb > 8, `${snrDb.toFixed(1)} dB`);
    });
  }

  test(`sound at ${rateHz} Hz fades and is silent after 60 ms`, () => {
    const concealer = new LossConcealer(rateHz);
    const sound = vowel(120, rateHz, frame * 5);
    concealer.good(sound);
    const frames = [0, 1, 2, 3].map(() => concealer.conceal(frame));
    const powers = frames.map(power);
    assert.ok((powers[0] ?? 0) > power(sound) / 3);
    assert.ok((powers[1] ?? 0) < (powers[0] ?? 0) && (powers[2] ?? 0) < (powers[1] ?? 0));
    assert.equal(powers[3], 0);
  });

  test(`a loss at ${rateHz} Hz starts and ends without a click`, () => {
    const sound = vowel(110, rateHz, frame * 9);
    const whole = sound.slice();
    const concealer = new LossConcealer(rateHz);
    for (let i = 0; i < 9; i++) {
      const part = whole.subarray(i * frame, (i + 1) * frame);
      if (i === 5 || i === 6) {
        part.set(concealer.conceal());
      } else {
        concealer.good(part);
      }
    }
    assert.ok(largestStep(whole) < 1.3 * largestStep(sound));
  });
}

test("a good frame without a loss before it is unchanged", () => {
  const concealer = new LossConcealer(8000);
  const sound = vowel(100, 8000, 320);
  for (const part of [sound.slice(0, 160), sound.slice(160)]) {
    const before = part.slice();
    concealer.good(part);
    assert.deepEqual(part, before);
  }
});

test("a loss before any sound gives one frame of silence", () => {
  const frame = new LossConcealer(16000).conceal();
  assert.deepEqual(frame, new Int16Array(320));
});

test("gaps and frames of other lengths are accepted", () => {
  const concealer = new LossConcealer(8000);
  concealer.good(new Int16Array(0));
  concealer.good(vowel(100, 8000, 80));
  assert.equal(concealer.conceal().length, 80);
  assert.equal(concealer.conceal(480).length, 480);
  concealer.good(vowel(100, 8000, 2000));
  assert.equal(concealer.conceal().length, 2000);
});

test("full-scale input never overflows", () => {
  const concealer = new LossConcealer(8000);
  const square = Int16Array.from({ length: 800 }, (_, i) => (i % 80 < 40 ? 32767 : -32768));
  concealer.good(square);
  const out = concealer.conceal(160);
  assert.ok((out[20] ?? 0) > 0 && (out[60] ?? 0) < 0);
});
