import assert from "node:assert/strict";
import { test } from "node:test";
import { Resampler, type ResamplerRateHz } from "./resampler.ts";

const RATES: readonly ResamplerRateHz[] = [8000, 16000, 22050, 24000, 44100, 48000];
const PAIRS = RATES.flatMap((from) => RATES.filter((to) => to !== from).map((to) => [from, to] as const));
const AMPLITUDE = 12000;

function tone(frequencyHz: number, rateHz: number, seconds: number): Int16Array {
  return Int16Array.from({ length: Math.round(rateHz * seconds) }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz)),
  );
}

function power(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    sum += (samples[i] ?? 0) ** 2;
  }
  return sum / samples.length;
}

/** The steady part of a resampled second, without the edges of the filter. */
function steady(pcm: Int16Array, rateHz: number): Int16Array {
  return pcm.subarray(Math.round(rateHz * 0.05), Math.round(rateHz * 0.95));
}

for (const [fromHz, toHz] of PAIRS) {
  const lowHz = Math.min(fromHz, toHz);

  test(`${fromHz} → ${toHz} Hz passes tones of the pass band with more than 45 dB SNR and a delay of delayMs`, () => {
    for (const frequencyHz of [300, 1000, 0.75 * (lowHz / 2)]) {
      const resampler = new Resampler(fromHz, toHz);
      const out = steady(resampler.process(tone(frequencyHz, fromHz, 1)), toHz);
      const first = Math.round(toHz * 0.05);
      const error = Array.from(out, (sample, i) => {
        const seconds = (first + i) / toHz - resampler.delayMs / 1000;
        return sample - AMPLITUDE * Math.sin(2 * Math.PI * frequencyHz * seconds);
      });
      const snrDb = 10 * Math.log10(power(out) / power(error));
      assert.ok(snrDb > 45, `${frequencyHz} Hz: ${snrDb.toFixed(1)} dB`);
    }
  });

  test(`${fromHz} → ${toHz} Hz gives the same samples for every chunk size, and keeps pace`, () => {
    const input = tone(440, fromHz, 0.3);
    const whole = new Resampler(fromHz, toHz);
    const expected = [...whole.process(input), ...whole.flush()];

    const cut = new Resampler(fromHz, toHz);
    const actual: number[] = [];
    for (let start = 0, size = 1; start < input.length; start += size, size = (size * 7) % 1009) {
      actual.push(...cut.process(input.subarray(start, start + size)));
      const taken = Math.min(start + size, input.length);
      assert.equal(actual.length, Math.ceil((taken * toHz) / fromHz));
    }
    actual.push(...cut.flush());
    assert.deepEqual(actual, expected);
  });
}

for (const [fromHz, toHz] of PAIRS.filter(([from, to]) => from > to)) {
  test(`${fromHz} → ${toHz} Hz rejects tones above the new Nyquist frequency by 45 dB`, () => {
    for (const part of [1.01, 1.2, 1.6]) {
      const frequencyHz = (part * toHz) / 2;
      if (frequencyHz < fromHz / 2) {
        const out = steady(new Resampler(fromHz, toHz).process(tone(frequencyHz, fromHz, 1)), toHz);
        const rejectionDb = 10 * Math.log10(AMPLITUDE ** 2 / 2 / power(out));
        assert.ok(rejectionDb > 45, `${frequencyHz} Hz: ${rejectionDb.toFixed(1)} dB`);
      }
    }
  });
}

test("twenty milliseconds of input give twenty milliseconds of output, from the first frame on", () => {
  const up = new Resampler(8000, 16000);
  const down = new Resampler(44100, 8000);
  for (let frame = 0; frame < 5; frame++) {
    assert.equal(up.process(new Int16Array(160)).length, 320);
    assert.equal(down.process(new Int16Array(882)).length, 160);
  }
});

test("the delay is at most 2.1 ms", () => {
  for (const [fromHz, toHz] of PAIRS) {
    assert.ok(new Resampler(fromHz, toHz).delayMs <= 2.1);
  }
});

test("after flush a resampler behaves like a new one", () => {
  const input = tone(700, 24000, 0.1);
  const resampler = new Resampler(24000, 16000);
  const first = [...resampler.process(input.subarray(0, 1001)), ...resampler.flush()];
  const second = [...resampler.process(input.subarray(0, 1001)), ...resampler.flush()];
  assert.deepEqual(second, first);
});

test("full-scale square waves are clipped and never wrap", () => {
  const square = Int16Array.from({ length: 1600 }, (_, i) => (i % 40 < 20 ? 32767 : -32768));
  const out = new Resampler(8000, 16000).process(square);
  for (let i = 200; i < out.length; i++) {
    const position = (i / 2 - 16 + 1600) % 40;
    if (position > 2 && position < 18) {
      assert.ok((out[i] ?? 0) > 20000);
    }
  }
});

test("equal rates pass samples unchanged", () => {
  const resampler = new Resampler(16000, 16000);
  const input = tone(440, 16000, 0.02);
  assert.equal(resampler.process(input), input);
  assert.equal(resampler.flush().length, 0);
  assert.equal(resampler.delayMs, 0);
});
