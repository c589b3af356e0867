import assert from "node:assert/strict";
import { test } from "node:test";
import { bridgeAudio } from "./audio-bridge.ts";

const frame = (value: number): Int16Array => new Int16Array(160).fill(value);

function setUp() {
  const pressed: string[] = [];
  const bridge = bridgeAudio({
    caller: (digit) => void pressed.push(`caller ${digit}`),
    person: (digit) => void pressed.push(`person ${digit}`),
  });
  return { ...bridge, pressed };
}

test("each side hears the other, from copies of its frames, and silence if there is none", () => {
  const { caller, person } = setUp();
  const buffer = frame(1);
  caller.hear(buffer);
  buffer.fill(9);
  person.hear(frame(2));
  assert.equal(person.nextFrame()?.[0], 1);
  assert.equal(person.nextFrame(), undefined);
  assert.equal(caller.nextFrame()?.[159], 2);
});

test("a side that is ahead adds no lasting delay: the oldest frames are dropped", () => {
  const { caller, person } = setUp();
  for (let value = 1; value <= 10; value++) caller.hear(frame(value));
  const heard = Array.from({ length: 4 }, () => person.nextFrame()?.[0]);
  assert.deepEqual(heard, [8, 9, 10, undefined]);
});

test("frames of both sides keep their order while one side's ticks waver", () => {
  const { caller, person } = setUp();
  const heard: (number | undefined)[] = [];
  for (let value = 1; value <= 30; value += 2) {
    caller.hear(frame(value));
    caller.hear(frame(value + 1));
    heard.push(person.nextFrame()?.[0], person.nextFrame()?.[0]);
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test("noise is removed from what the person hears, and only there", () => {
  const silent = { caller: () => {}, person: () => {} };
  const { caller, person } = bridgeAudio(silent, { process: (pcm) => pcm.map((sample) => sample - 1) });
  caller.hear(frame(5));
  person.hear(frame(5));
  assert.equal(person.nextFrame()?.[0], 4);
  assert.equal(caller.nextFrame()?.[0], 5);
});

test("a key of one side is pressed to the other", () => {
  const { caller, person, pressed } = setUp();
  caller.dtmf("1");
  person.dtmf("2");
  assert.deepEqual(pressed, ["person 1", "caller 2"]);
});
