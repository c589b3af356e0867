import assert from "node:assert/strict";
import { test } from "node:test";
import { ComfortNoise } from "./comfort-noise.ts";

function levelOf(noise: ComfortNoise): number {
  const pcm = new Int16Array(16_000);
  noise.render(pcm);
  const power = pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length;
  return -20 * Math.log10(Math.sqrt(power) / 32_767);
}

test("noise has the level of the last packet", () => {
  const noise = new ComfortNoise();
  for (const level of [20, 40, 60]) {
    noise.describe(Uint8Array.of(level, 127, 3));
    assert.ok(Math.abs(levelOf(noise) - level) < 0.5);
    noise.describe(new Uint8Array(0));
    assert.ok(Math.abs(levelOf(noise) - level) < 0.5);
  }
});

test("noise is silent without a description and at the lowest level", () => {
  const pcm = Int16Array.of(5, 5);
  const noise = new ComfortNoise();
  noise.render(pcm);
  assert.deepEqual([...pcm], [0, 0]);
  noise.describe(Uint8Array.of(127));
  noise.render(pcm);
  assert.deepEqual([...pcm], [0, 0]);
});
