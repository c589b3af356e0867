import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { overTelephone, readRecording } from "../testing.ts";
import { loadRnnoise } from "./rnnoise.ts";

const rms = (pcm: Int16Array): number =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);

test("noise is removed from a call, speech stays, and timing is unchanged", async () => {
  const random = seededRandom(1);
  const speech = overTelephone(await readRecording("go-forward"));
  const noise = Int16Array.from({ length: 16_000 }, () => (random() - 0.5) * 1200);
  const suppressor = await loadRnnoise();
  const stream = suppressor.open({ sampleRateHz: 8000 });
  const heard = (pcm: Int16Array): Int16Array => {
    const frames: number[] = [];
    for (let at = 0; at + 160 <= pcm.length; at += 160) {
      const frame = stream.process(pcm.slice(at, at + 160));
      assert.equal(frame.length, 160);
      frames.push(...frame);
    }
    return Int16Array.from(frames);
  };
  assert.ok(rms(heard(noise).subarray(8000)) < rms(noise) / 10);
  const kept = rms(heard(speech)) / rms(speech);
  assert.ok(kept > 0.8 && kept < 1.2, `${kept}`);
  stream.close();
  stream.close();
  assert.deepEqual([...stream.process(Int16Array.of(1, 2))], [1, 2]);
});
