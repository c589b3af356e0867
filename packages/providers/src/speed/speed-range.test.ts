import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextToSpeech, TextToSpeechEvent } from "@parley/conversation";
import { FakeTextToSpeech } from "@parley/conversation/testing";
import { withSpeedRange } from "./speed-range.ts";

const RATE_HZ = 16_000;

async function speak(tts: TextToSpeech, speed: number): Promise<TextToSpeechEvent[]> {
  const events: TextToSpeechEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = tts.open({
    voice: "",
    sampleRateHz: RATE_HZ,
    language: "en",
    speed,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "ended") resolve();
    },
  });
  stream.speak(1, "Good morning to you all.");
  stream.end();
  await promise;
  return events;
}

const secondsOf = (events: readonly TextToSpeechEvent[]): number =>
  events.reduce((sum, event) => sum + (event.type === "audio" ? event.pcm.length : 0), 0) / RATE_HZ;

test("what a provider's own speed leaves is stretched, with the word times", async () => {
  const voice = new FakeTextToSpeech();
  voice.sendsWordTimings = true;
  const plain = await speak(voice, 1);
  for (const speed of [0.5, 2]) {
    // The fake voice ignores the speed, so that the whole length is the stretch's.
    const events = await speak(withSpeedRange(voice, [1, 1]), speed);
    const ratio = secondsOf(plain) / secondsOf(events);
    assert.ok(Math.abs(ratio - speed) < 0.01, `${ratio}`);
    const endOf = (of: TextToSpeechEvent[]): number =>
      Math.max(
        ...of.flatMap((event) => (event.type === "words" ? event.words.map(({ endMs }) => endMs) : [])),
      );
    assert.ok(Math.abs(endOf(plain) / endOf(events) - speed) < 0.01);
  }
});

test("the provider speaks at the nearest speed that it accepts", () => {
  const speeds: number[] = [];
  const silent = { speak() {}, end() {}, pause() {}, resume() {}, close() {} };
  const voice: TextToSpeech = {
    name: "range",
    open: ({ speed }) => {
      speeds.push(speed);
      return silent;
    },
  };
  const ranged = withSpeedRange(voice, [0.7, 1.2]);
  for (const speed of [0.5, 0.8, 2])
    ranged.open({ voice: "", sampleRateHz: RATE_HZ, language: "en", speed, onEvent: () => {} });
  assert.deepEqual(speeds, [0.7, 0.8, 1.2]);
});

test("no event follows a close, not even from within an event", async () => {
  const stretched = withSpeedRange(new FakeTextToSpeech(), [1, 1]);
  const types: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = stretched.open({
    voice: "",
    sampleRateHz: RATE_HZ,
    language: "en",
    speed: 1.5,
    onEvent: ({ type }) => {
      types.push(type);
      stream.close();
      resolve();
    },
  });
  stream.speak(1, "Yes.");
  stream.end();
  await promise;
  assert.deepEqual(types, ["audio"]);
});
