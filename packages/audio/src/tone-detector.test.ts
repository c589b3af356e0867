import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { renderDtmf } from "./dtmf-tones.ts";
import { decodePcmu, encodePcmu } from "./g711.ts";
import { type Tone, ToneDetector } from "./tone-detector.ts";

const RATE_HZ = 8000;

function sine(
  frequencyHz: number,
  durationMs: number,
  amplitude = 4000,
  rateHz: 8000 | 16000 = RATE_HZ,
): Int16Array {
  return Int16Array.from({ length: (durationMs * rateHz) / 1000 }, (_, at) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequencyHz * at) / rateHz)),
  );
}

const silence = (durationMs: number, rateHz: 8000 | 16000 = RATE_HZ): Int16Array =>
  new Int16Array((durationMs * rateHz) / 1000);

function join(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

function tonesIn(pcm: Int16Array, rateHz: 8000 | 16000 = RATE_HZ): Tone[] {
  const tones: Tone[] = [];
  const detector = new ToneDetector(rateHz, (tone) => tones.push(tone));
  const frame = rateHz / 50;
  for (let at = 0; at + frame <= pcm.length; at += frame) detector.write(pcm.subarray(at, at + frame));
  return tones;
}

function withNoise(pcm: Int16Array, amplitude: number, seed: number): Int16Array {
  const random = seededRandom(seed);
  return pcm.map((sample) => sample + Math.round((random() + random() + random() - 1.5) * amplitude));
}

test("a beep is reported with its frequency when it is recognized, when it becomes long, and when it ends", () => {
  for (const rateHz of [8000, 16000] as const) {
    const beep = join(silence(200, rateHz), sine(1000, 500, 4000, rateHz), silence(200, rateHz));
    const tones = tonesIn(beep, rateHz);
    assert.deepEqual(
      tones.map(({ isOver }) => isOver),
      [false, false, true],
    );
    for (const { frequencyHz } of tones) assert.ok(Math.abs(frequencyHz - 1000) <= 5, String(frequencyHz));
    assert.deepEqual(
      tones.map(({ durationMs }) => durationMs),
      [160, 320, 500],
    );
  }
});

test("beeps of every usual frequency, length and level are found in noise and over G.711", () => {
  let seed = 0;
  for (const frequencyHz of [425, 620, 800, 1004, 1400, 2100])
    for (const durationMs of [180, 400, 1000])
      for (const amplitude of [800, 4000, 14_000]) {
        const clean = join(silence(300), sine(frequencyHz, durationMs, amplitude), silence(300));
        const heard = decodePcmu(encodePcmu(withNoise(clean, amplitude * 0.35, seed++)));
        const last = tonesIn(heard).at(-1);
        const what = `${frequencyHz} Hz, ${durationMs} ms, ${amplitude}: ${JSON.stringify(last)}`;
        assert.ok(last?.isOver === true && Math.abs(last.frequencyHz - frequencyHz) <= 20, what);
        assert.ok(Math.abs(last.durationMs - durationMs) <= 60, what);
      }
});

test("keypad tones, noise, clicks, a gliding tone and the harmonics of a voice are no beeps", () => {
  assert.deepEqual(tonesIn(renderDtmf("0123456789*#ABCD", RATE_HZ)), []);
  for (let seed = 1; seed <= 20; seed++) assert.deepEqual(tonesIn(withNoise(silence(2000), 6000, seed)), []);
  assert.deepEqual(
    tonesIn(join(silence(100), sine(1000, 60), silence(400), sine(900, 60), silence(100))),
    [],
  );
  const glide = Int16Array.from({ length: RATE_HZ }, (_, at) =>
    Math.round(4000 * Math.sin(2 * Math.PI * (500 * (at / RATE_HZ) + 500 * (at / RATE_HZ) ** 2))),
  );
  assert.deepEqual(tonesIn(glide), []);
  for (const pitchHz of [90, 120, 180, 240]) {
    // Harmonics around a formant of 700 Hz.
    const voice = Int16Array.from({ length: RATE_HZ }, (_, at) => {
      let sum = 0;
      for (let k = 1; k * pitchHz < 3400; k++)
        sum += Math.sin((2 * Math.PI * k * pitchHz * at) / RATE_HZ) / (1 + ((k * pitchHz - 700) / 250) ** 2);
      return Math.round(3000 * sum);
    });
    assert.deepEqual(tonesIn(voice), [], `${pitchHz} Hz`);
  }
});
