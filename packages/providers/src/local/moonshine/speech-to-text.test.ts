import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ProviderError, type SpeechToTextEvent } from "@parley/conversation";
import { createInProcessInference } from "../inference/in-process-client.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import { LocalSpeechToText } from "./speech-to-text.ts";

type Transcribe = NonNullable<InferenceHandlers["transcribe"]>;

const ms = (count: number): number => count * 8;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function openStream(context: TestContext, transcribe: Transcribe, language = "en-US") {
  const inference = createInProcessInference({ transcribe });
  const events: SpeechToTextEvent[] = [];
  const stream = new LocalSpeechToText({ inference, size: () => "base" }).open({
    sampleRateHz: 8000,
    language,
    keyterms: [],
    onEvent: (event) => events.push(event),
  });
  context.after(() => {
    stream.close();
    inference.close();
  });
  return { stream, events };
}

/** Recognizer whose text is the length of the audio. */
const sayLength: Transcribe = ({ pcm }) => Promise.resolve({ text: `${pcm.length / 8} ms` });

test("an utterance begins with a margin before its detection, and continues over flushes", async (context) => {
  const { stream, events } = openStream(context, sayLength);
  stream.write(new Int16Array(ms(5000)));
  stream.startUtterance(200);
  stream.write(new Int16Array(ms(100)));
  stream.flush(1);
  await settle();
  stream.write(new Int16Array(ms(1000)));
  stream.flush(2);
  await settle();
  assert.deepEqual(events, [
    { type: "flushed", flushId: 1, text: "600 ms" },
    { type: "flushed", flushId: 2, text: "1600 ms" },
  ]);
});

test("a flush supersedes an unanswered one, whose request is aborted", async (context) => {
  const aborted: number[] = [];
  const { stream, events } = openStream(context, async ({ pcm }, { signal }) => {
    signal.addEventListener("abort", () => aborted.push(pcm.length / 8));
    await settle();
    return { text: `${pcm.length / 8} ms` };
  });
  stream.startUtterance(0);
  stream.write(new Int16Array(ms(400)));
  stream.flush(1);
  stream.write(new Int16Array(ms(20)));
  stream.flush(2);
  for (let turn = 0; turn < 4; turn += 1) await settle();
  assert.deepEqual(events, [{ type: "flushed", flushId: 2, text: "420 ms" }]);
  assert.deepEqual(aborted, [400]);
});

test("a long utterance is cut in its pauses, and the texts of its pieces are joined", async (context) => {
  const lengths: number[] = [];
  const { stream, events } = openStream(context, ({ pcm }) => {
    lengths.push(pcm.length);
    return Promise.resolve({ text: String(pcm[0]) });
  });
  stream.startUtterance(0);
  const spoken = new Int16Array(ms(12_000)).fill(8000);
  const pause = new Int16Array(ms(400));
  stream.write(spoken);
  stream.write(pause);
  for (let at = 0; at < 250; at += 1) stream.write(new Int16Array(ms(20)).fill(4000));
  stream.flush(1);
  await settle();
  assert.equal(lengths.length, 2);
  assert.ok(lengths.every((length) => length <= ms(15_000)));
  assert.equal(
    lengths.reduce((sum, length) => sum + length),
    ms(17_400),
  );
  assert.deepEqual(events, [{ type: "flushed", flushId: 1, text: "8000 0" }]);
});

test("errors of the inference process are reported unchanged", async (context) => {
  const error = new ProviderError({
    provider: "x",
    kind: "status",
    message: "overloaded",
    isRetryable: true,
  });
  const { stream, events } = openStream(context, () => Promise.reject(error));
  stream.startUtterance(0);
  stream.flush(1);
  await settle();
  assert.deepEqual(events, [{ type: "failed", error }]);
});

test("a flush without an utterance returns an empty text", async (context) => {
  const { stream, events } = openStream(context, sayLength);
  stream.flush(1);
  await settle();
  assert.deepEqual(events, [{ type: "flushed", flushId: 1, text: "" }]);
});

test("no event follows the end of the utterance or of the stream", async (context) => {
  const { stream, events } = openStream(context, sayLength);
  stream.startUtterance(0);
  stream.flush(1);
  stream.endUtterance();
  await settle();
  stream.startUtterance(0);
  stream.flush(2);
  stream.close();
  stream.close();
  stream.write(new Int16Array(160));
  stream.flush(3);
  await settle();
  assert.deepEqual(events, []);
});

test("a language other than English fails at once", async (context) => {
  const { events } = openStream(context, sayLength, "de-DE");
  await settle();
  assert.equal(events.length, 1);
  assert.ok(events[0]?.type === "failed" && !events[0].error.isRetryable);
  assert.match(events[0].error.message, /hears English only, not de-DE/);
});
