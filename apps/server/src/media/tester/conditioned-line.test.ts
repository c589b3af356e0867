import assert from "node:assert/strict";
import { test } from "node:test";
import { ConditionedLine } from "./conditioned-line.ts";

const FRAME_MS = 20;
const SAMPLES = 160;
const NO_CONDITIONS = { noiseLevelDb: undefined, packetLoss: 0, interruptsAfterMs: undefined };

const speech = (): Int16Array => new Int16Array(SAMPLES).fill(5_000);
const silence = (): Int16Array => new Int16Array(SAMPLES);

function levelDb(pcm: Int16Array): number {
  const power = pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length;
  return 20 * Math.log10(Math.sqrt(power) / 32_767);
}

test("a line without conditions changes nothing", () => {
  const line = new ConditionedLine(NO_CONDITIONS, 8000);
  const heard = speech();
  line.hear(heard);
  assert.deepEqual(heard, speech());
  assert.equal(line.say(undefined), undefined);
  assert.deepEqual(line.say(speech()), speech());
  assert.ok(Array.from({ length: 1_000 }, () => line.losesPacket()).every((isLost) => !isLost));
});

test("background noise has its level while the tester is silent, and is added to what it says", () => {
  const line = new ConditionedLine({ ...NO_CONDITIONS, noiseLevelDb: -40 }, 8000);
  const noise = Array.from({ length: 50 }).flatMap(() => [...(line.say(undefined) ?? [])]);
  assert.ok(Math.abs(levelDb(Int16Array.from(noise)) + 40) < 1, `${levelDb(Int16Array.from(noise))} dB`);
  const mixed = line.say(speech()) ?? silence();
  const mean = mixed.reduce((sum, sample) => sum + sample, 0) / SAMPLES;
  assert.ok(Math.abs(mean - 5_000) < 200 && new Set(mixed).size > 100);
});

test("loud speech with noise is clipped, and does not wrap around", () => {
  const line = new ConditionedLine({ ...NO_CONDITIONS, noiseLevelDb: -20 }, 8000);
  const mixed = line.say(new Int16Array(SAMPLES).fill(32_767)) ?? silence();
  assert.ok(mixed.every((sample) => sample > 0));
});

test("packets are lost at their share, and the same ones in every call", () => {
  const lose = (): boolean[] => {
    const line = new ConditionedLine({ ...NO_CONDITIONS, packetLoss: 0.1 }, 8000);
    return Array.from({ length: 10_000 }, () => line.losesPacket());
  };
  const lost = lose();
  const count = lost.filter(Boolean).length;
  assert.ok(count > 800 && count < 1_200, `${count} of 10,000`);
  assert.deepEqual(lose(), lost);
});

/** Plays frames of the agent to the line, and returns for how many milliseconds they were heard. */
function listen(line: ConditionedLine, durationMs: number, isSpeaking = false): number {
  let heardMs = 0;
  for (let atMs = 0; atMs < durationMs; atMs += FRAME_MS) {
    const frame = speech();
    line.hear(frame);
    line.say(isSpeaking ? speech() : undefined);
    if (frame[0] !== 0) heardMs += FRAME_MS;
  }
  return heardMs;
}

test("an impatient tester stops listening, and listens again once it has spoken", () => {
  const line = new ConditionedLine({ ...NO_CONDITIONS, interruptsAfterMs: 1_000 }, 8000);
  assert.equal(listen(line, 3_000), 1_000);
  assert.equal(listen(line, 2_000, true), 0);
  assert.equal(listen(line, 300), 0);
  assert.equal(listen(line, 3_000), 1_000);
});

test("an impatient tester that says nothing listens again", () => {
  const line = new ConditionedLine({ ...NO_CONDITIONS, interruptsAfterMs: 500 }, 8000);
  assert.equal(listen(line, 6_000), 500);
  assert.ok(listen(line, 2_000) > 0);
});

test("a pause of the agent begins the time anew", () => {
  const line = new ConditionedLine({ ...NO_CONDITIONS, interruptsAfterMs: 1_000 }, 8000);
  assert.equal(listen(line, 800), 800);
  for (let atMs = 0; atMs < 700; atMs += FRAME_MS) line.hear(silence());
  assert.equal(listen(line, 800), 800);
});
