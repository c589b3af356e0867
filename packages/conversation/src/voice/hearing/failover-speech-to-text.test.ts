import assert from "node:assert/strict";
import { test } from "node:test";
import type { SpeechToTextEvent, SpeechToTextStream } from "../../providers/speech-to-text.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FakeSpeechToText, type FakeFlushAnswer } from "../../testing/fake-speech-to-text.ts";
import { speechToTextConformance } from "../../testing/speech-to-text-conformance.ts";
import { tone } from "../../testing/tone.ts";
import { createFailoverSpeechToText } from "./failover-speech-to-text.ts";

const FRAME = new Int16Array(160);

interface Session {
  clock: FakeClock;
  first: FakeSpeechToText;
  second: FakeSpeechToText;
  stream: SpeechToTextStream;
  events: SpeechToTextEvent[];
}

function open(answers: FakeFlushAnswer[], secondAnswers: FakeFlushAnswer[] = []): Session {
  const clock = new FakeClock();
  const first = new FakeSpeechToText(clock);
  const second = new FakeSpeechToText(clock);
  first.answers.push(...answers);
  second.answers.push(...secondAnswers);
  first.textOfSpeech = "from the first";
  second.textOfSpeech = "from the second";
  const events: SpeechToTextEvent[] = [];
  const stt = createFailoverSpeechToText({
    recognizers: [
      { stt: first, answerDeadlineMs: 900 },
      { stt: second, answerDeadlineMs: 900 },
    ],
    timers: clock,
  });
  const stream = stt.open({
    sampleRateHz: 8000,
    language: "en",
    keyterms: [],
    onEvent: (event) => events.push(event),
  });
  return { clock, first, second, stream, events };
}

function write(stream: SpeechToTextStream, durationMs: number): void {
  for (let ms = 0; ms < durationMs; ms += 20) stream.write(FRAME);
}

function speak(stream: SpeechToTextStream, durationMs: number): void {
  write(stream, 5000);
  stream.startUtterance(320);
  write(stream, durationMs);
}

test("a lost connection is reopened and receives the whole utterance with its lead", async () => {
  const { clock, first, stream, events } = open(["fail"]);
  speak(stream, 3000);
  stream.flush(1);
  await clock.advance(300);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["recovered", "flushed"],
  );
  const replayed = first.streams[1];
  assert.ok(replayed !== undefined);
  assert.deepEqual(replayed.leadsMs, [0]);
  assert.deepEqual(replayed.writtenAtStart, [680 * 8]);
  assert.equal(replayed.samplesWritten, 4000 * 8);
});

test("a recognizer that fails to answer twice is replaced by the next, in the same turn", async () => {
  const { clock, stream, events } = open(["stall", "stall"]);
  speak(stream, 1000);
  stream.flush(7);
  await clock.advance(2000);
  assert.deepEqual(events.at(-1), { type: "flushed", flushId: 7, text: "from the second" });
});

test("a recognizer that refuses is replaced at once", async () => {
  const { clock, second, stream, events } = open(["failForGood"]);
  speak(stream, 1000);
  stream.flush(1);
  await clock.advance(200);
  assert.deepEqual(events.at(-1), { type: "flushed", flushId: 1, text: "from the second" });
  stream.endUtterance();
  speak(stream, 1000);
  stream.flush(2);
  await clock.advance(200);
  assert.equal(second.streams.length, 1);
});

test("when no recognizer is left the failure is reported once", async () => {
  const { clock, stream, events } = open(["failForGood"], ["failForGood"]);
  speak(stream, 1000);
  stream.flush(1);
  await clock.advance(5000);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["recovered", "failed"],
  );
  assert.equal(clock.pendingCount, 0);
});

test("only the last seconds of a long utterance are replayed", async () => {
  const { clock, first, stream } = open(["fail"]);
  speak(stream, 60_000);
  stream.flush(1);
  await clock.advance(300);
  assert.ok((first.streams[1]?.samplesWritten ?? 0) <= 15_020 * 8);
  assert.deepEqual(first.streams[1]?.writtenAtStart, [0]);
});

test("a closed stream leaves no timer behind", async () => {
  const { clock, stream, events } = open(["stall"]);
  speak(stream, 1000);
  stream.flush(1);
  stream.close();
  assert.equal(clock.pendingCount, 0);
  await clock.advance(5000);
  assert.deepEqual(events, []);
});

speechToTextConformance("lasting recognizer", () => {
  const stt = new FakeSpeechToText();
  stt.textOfSpeech = "good morning";
  return {
    stt: createFailoverSpeechToText({ recognizers: [{ stt, answerDeadlineMs: 900 }] }),
    sampleRateHz: 16000,
    speech: tone(1000, 16000, 6000),
    expected: /good morning/,
    breakConnection: () => stt.streams[0]?.fail(false),
  };
});
