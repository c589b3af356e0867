import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProviderError, SpeechToTextEvent, SpeechToTextStream } from "@parley/conversation";
import { startScriptedDeepgram, type ScriptedDeepgramOptions } from "../testing/index.ts";
import { createDeepgramSpeechToText } from "./deepgram.ts";

interface Recognition {
  stream: SpeechToTextStream;
  next: () => Promise<SpeechToTextEvent>;
}

/** Timeout for servers that do answer, on a busy machine too. */
const PATIENCE_MS = 10_000;

async function open(
  context: TestContext,
  server: Partial<ScriptedDeepgramOptions> = {},
  silenceTimeoutMs = PATIENCE_MS,
): Promise<Recognition> {
  const scripted = await startScriptedDeepgram({
    apiKey: "key",
    utterance: (_connection, index) => ["What time do you open?", "And on Sunday?"][index] ?? "Goodbye.",
    ...server,
  });
  const speechToText = createDeepgramSpeechToText({
    apiKey: "key",
    baseUrl: scripted.url,
    connectTimeoutMs: PATIENCE_MS,
    silenceTimeoutMs,
  });
  const events: SpeechToTextEvent[] = [];
  let wake: (() => void) | undefined;
  const stream = speechToText.open({
    sampleRateHz: 8000,
    language: "en",
    keyterms: ["Parley"],
    onEvent: (event) => {
      events.push(event);
      wake?.();
    },
  });
  context.after(async () => {
    stream.close();
    await scripted.close();
  });
  const next = async (): Promise<SpeechToTextEvent> => {
    while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const event = events.shift();
    assert.ok(event !== undefined);
    return event;
  };
  return { stream, next };
}

function speak(stream: SpeechToTextStream, durationMs: number, amplitude = 5000): void {
  const frame = Int16Array.from({ length: 160 }, (_, index) => (index % 20 < 10 ? amplitude : -amplitude));
  for (let atMs = 0; atMs < durationMs; atMs += 20) stream.write(frame);
}

function assertFlushed(event: SpeechToTextEvent, flushId: number, text: string): void {
  assert.ok(event.type === "flushed");
  assert.deepEqual([event.flushId, event.text], [flushId, text]);
}

async function waitForFailure({ next }: Recognition): Promise<ProviderError> {
  const event = await next();
  assert.equal(event.type, "failed");
  return event.error;
}

test("a flush is answered with the text of its utterance, one utterance after the other", async (context) => {
  const { stream, next } = await open(context);
  const texts: string[] = [];
  for (const flushId of [1, 2]) {
    speak(stream, 200, 0);
    speak(stream, 700);
    stream.startUtterance(700);
    stream.flush(flushId);
    let event = await next();
    while (event.type === "partial") event = await next();
    assert.equal(event.type, "flushed");
    assert.equal(event.flushId, flushId);
    texts.push(event.text);
    stream.endUtterance();
  }
  assert.deepEqual(texts, ["What time do you open?", "And on Sunday?"]);
});

test("speech that continues after a flush is added to the utterance", async (context) => {
  const { stream, next } = await open(context);
  speak(stream, 500);
  stream.startUtterance(500);
  stream.flush(1);
  assertFlushed(await next(), 1, "What time do you open?");
  speak(stream, 500);
  stream.flush(2);
  assertFlushed(await next(), 2, "What time do you open? And on Sunday?");
});

test("only the latest of two flushes is answered, with all the audio before it", async (context) => {
  const { stream, next } = await open(context, { latencyMs: 30 });
  stream.flush(0);
  assertFlushed(await next(), 0, "");
  speak(stream, 500);
  stream.startUtterance(500);
  stream.flush(1);
  speak(stream, 500);
  stream.flush(2);
  let event = await next();
  while (event.type === "partial") event = await next();
  assertFlushed(event, 2, "What time do you open? And on Sunday?");
});

test("interim results are partials", async (context) => {
  const { stream, next } = await open(context, { interimEveryMs: 300 });
  stream.startUtterance(0);
  speak(stream, 400);
  assert.deepEqual(await next(), { type: "partial", text: "What time do" });
});

test("a wrong key fails with the status and is not retried", async (context) => {
  const recognition = await open(context, { apiKey: "another" });
  const error = await waitForFailure(recognition);
  assert.equal(error.kind, "status");
  assert.equal(error.status, 401);
  assert.equal(error.isRetryable, false);
  recognition.stream.flush(7);
  assert.equal(await waitForFailure(recognition), error);
});

test("a connection that is cut fails once and is reopened", async (context) => {
  const recognition = await open(context, {
    fault: (connection) => (connection === 0 ? { type: "close", after: 0 } : undefined),
  });
  speak(recognition.stream, 500);
  recognition.stream.startUtterance(500);
  recognition.stream.flush(1);
  const error = await waitForFailure(recognition);
  assert.equal(error.kind, "connection");
  assert.equal(error.isRetryable, true);
  recognition.stream.endUtterance();
  // A flush fails as long as the connection is not open again.
  let answer: SpeechToTextEvent;
  do {
    await sleep(20);
    recognition.stream.flush(2);
    answer = await recognition.next();
  } while (answer.type === "failed");
  assertFlushed(answer, 2, "");
  speak(recognition.stream, 500);
  recognition.stream.startUtterance(500);
  recognition.stream.flush(3);
  assertFlushed(await recognition.next(), 3, "What time do you open?");
});

test("a Finalize that is never answered fails with a timeout", async (context) => {
  const recognition = await open(context, { fault: () => ({ type: "stall", after: 0 }) }, 200);
  speak(recognition.stream, 500);
  recognition.stream.startUtterance(500);
  recognition.stream.flush(1);
  assert.equal((await waitForFailure(recognition)).kind, "timeout");
});
