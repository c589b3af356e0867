import assert from "node:assert/strict";
import { test } from "node:test";
import { type Announcement, createHoldAudio } from "./announcement.ts";
import { createHoldMusic } from "./hold-music.ts";

const SECOND = 50;

const peakOf = (frames: readonly (Int16Array | undefined)[]): number =>
  Math.max(...frames.map((frame) => Math.max(0, ...(frame ?? []).map(Math.abs))));

const take = (next: () => Int16Array | undefined, count: number) =>
  Array.from({ length: count }, () => next()?.slice());

test("the music goes on without an end, is quiet, and does not click", () => {
  for (const sampleRateHz of [8000, 16_000]) {
    const next = createHoldMusic(sampleRateHz);
    let last = 0;
    let steepest = 0;
    for (let second = 0; second < 40; second++) {
      const frames = take(next, SECOND);
      const peak = peakOf(frames);
      assert.ok(peak > 500 && peak < 4_000, `peak ${peak} in second ${second}`);
      for (const sample of frames.flatMap((frame) => [...(frame ?? [])])) {
        steepest = Math.max(steepest, Math.abs(sample - last));
        last = sample;
      }
    }
    assert.ok(steepest < 2_500, `a step of ${steepest}`);
  }
});

test("a slow message is waited for in silence for 2 s, and is heard even after music has begun", async () => {
  const pcm = new Int16Array(160).fill(7);
  const { promise, resolve } = Promise.withResolvers<Announcement | undefined>();
  const hold = createHoldAudio(promise, createHoldMusic(8000), () => {});
  assert.ok(take(hold.nextFrame, 2 * SECOND).every((frame) => frame === undefined));
  assert.ok(peakOf(take(hold.nextFrame, SECOND)) > 500);
  resolve({ text: "One moment.", pcm, sampleRateHz: 8000, volume: 1 });
  await promise;
  assert.equal(hold.nextFrame()?.[0], 7);
  assert.notEqual(hold.nextFrame(), undefined);
});

test("the message comes first, once it is spoken; then the music, or silence", async () => {
  const pcm = new Int16Array(240).fill(7);
  const message: Announcement = { text: "One moment.", pcm, sampleRateHz: 8000, volume: 1 };
  for (const music of [createHoldMusic(8000), undefined]) {
    const begun: string[] = [];
    const { promise, resolve } = Promise.withResolvers<Announcement | undefined>();
    const hold = createHoldAudio(promise, music, (text) => begun.push(text));
    assert.equal(hold.nextFrame(), undefined);
    resolve(message);
    await promise;
    assert.deepEqual(begun, ["One moment."]);
    const [first, second, third] = take(hold.nextFrame, 3);
    assert.deepEqual([first?.[0], second?.[79], second?.[80]], [7, 7, 0]);
    assert.equal(third === undefined, music === undefined);
  }
});
