import assert from "node:assert/strict";
import { test } from "node:test";
import { Fourier } from "@parley/audio";
import { bands, frames, logMelFeatures } from "./log-mel.ts";
import { sweep } from "../self-test/sweep.ts";

test("a transform equals its definition, for every length that is a product of 2, 3, 4 and 5", () => {
  for (const length of [1, 2, 12, 45, 400]) {
    const re = Float64Array.from({ length }, (_, at) => Math.sin(at * at));
    const im = Float64Array.from({ length }, (_, at) => Math.cos(at * 3));
    const spectrum = new Fourier(length).transform(re, im);
    for (const k of [0, length >> 1, length - 1]) {
      let [x, y] = [0, 0];
      for (let at = 0; at < length; at++) {
        const angle = (-2 * Math.PI * k * at) / length;
        x += (re[at] ?? 0) * Math.cos(angle) - (im[at] ?? 0) * Math.sin(angle);
        y += (re[at] ?? 0) * Math.sin(angle) + (im[at] ?? 0) * Math.cos(angle);
      }
      assert.ok(Math.abs((spectrum.re[k] ?? NaN) - x) < 1e-9, `${length}: re ${k}`);
      assert.ok(Math.abs((spectrum.im[k] ?? NaN) - y) < 1e-9, `${length}: im ${k}`);
    }
  }
  assert.throws(() => new Fourier(14), RangeError);
});

/**
 * Band, frame and value, computed once with the reference code of the model's authors (numpy) from the same sweep: 1.5
 * s, which leaves 6.5 s empty, and 8.75 s, of which the last 8 count.
 */
const reference: Readonly<Record<number, readonly (readonly [number, number, number])[]>> = {
  24_000: [
    [0, 0, 0.02296],
    [0, 649, 0.8132],
    [0, 650, 1.44596],
    [0, 799, 0.80925],
    [7, 400, -0.12309],
    [7, 651, 0.90763],
    [7, 700, 1.70278],
    [23, 649, 0.24136],
    [23, 798, 0.19859],
    [41, 650, 0.04652],
    [41, 799, 0.43358],
    [79, 650, 0.31941],
    [79, 799, -0.12309],
  ],
  140_000: [
    [0, 0, -0.16584],
    [0, 400, 0.58437],
    [0, 651, -0.16624],
    [0, 798, -0.16956],
    [7, 700, 0.36468],
    [23, 400, 0.77437],
    [23, 799, 0.11491],
    [41, 651, -0.29279],
    [41, 700, 0.76781],
    [79, 400, 0.5108],
    [79, 799, -0.10826],
  ],
};

for (const [samples, values] of Object.entries(reference)) {
  test(`the features of ${samples} samples equal those of the reference`, () => {
    const features = logMelFeatures(sweep(Number(samples)));
    assert.equal(features.length, bands * frames);
    for (const [band, frame, value] of values) {
      const found = features[band * frames + frame] ?? NaN;
      assert.ok(Math.abs(found - value) < 2e-4, `band ${band}, frame ${frame}: ${found}, not ${value}`);
    }
  });
}

test("an empty input has features too", () => {
  for (const pcm of [new Int16Array(0), new Int16Array(128_000)]) {
    assert.ok(logMelFeatures(pcm).every(Number.isFinite));
  }
});
