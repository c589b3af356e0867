import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { SpeechToTextEvent, TextToSpeechEvent } from "@parley/conversation";
import { tone } from "@parley/conversation/testing";
import {
  startScriptedOpenAiSpeech,
  type ScriptedOpenAiSpeechOptions,
  type ScriptedServer,
} from "../testing/index.ts";
import { createOpenAiSpeechToText } from "./speech-to-text.ts";
import { createOpenAiTextToSpeech } from "./text-to-speech.ts";

const CLAUSES = ["Good morning to you.", "How can I help?", "We are open until five."];

interface Spoken {
  events: TextToSpeechEvent[];
  last: TextToSpeechEvent;
  server: ScriptedServer;
}

async function speak(
  context: TestContext,
  options: ScriptedOpenAiSpeechOptions,
  apiKey = "key",
): Promise<Spoken> {
  const server = await startScriptedOpenAiSpeech({ apiKey: "key", ...options });
  const tts = createOpenAiTextToSpeech({ baseUrl: `${server.url}/v1`, apiKey });
  context.after(async () => {
    await tts.close();
    await server.close();
  });
  const events: TextToSpeechEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<TextToSpeechEvent>();
  const stream = tts.open({
    voice: "alloy",
    sampleRateHz: 16_000,
    language: "en",
    speed: 1,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "ended" || event.type === "failed") resolve(event);
    },
  });
  for (const [index, text] of CLAUSES.entries()) stream.speak(index + 1, text);
  stream.end();
  return { events, last: await promise, server };
}

for (const format of ["pcm", "wav"] as const) {
  test(`${format} arrives complete, at the sample rate of the call`, async (context) => {
    const { events, last } = await speak(context, { format });
    assert.equal(last.type, "ended");
    const samples = events.reduce((sum, event) => sum + (event.type === "audio" ? event.pcm.length : 0), 0);
    const expected = CLAUSES.join("").length * 60 * 16;
    assert.ok(Math.abs(samples - expected) < 0.02 * expected, `${samples} of ${expected}`);
  });
}

test("the next clause is requested while the current one arrives, so that no gap is between them", async (context) => {
  const { server } = await speak(context, { latencyMs: 50, chunkMs: 120, realTimeFactor: 4 });
  const [first, second] = server.stats.exchanges;
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(second.receivedAtMs < (first.firstByteAtMs ?? 0));
});

async function recognize(
  context: TestContext,
  options: ScriptedOpenAiSpeechOptions,
): Promise<SpeechToTextEvent> {
  const server = await startScriptedOpenAiSpeech({ utterance: () => "When are you open?", ...options });
  const stt = createOpenAiSpeechToText({ baseUrl: `${server.url}/v1` });
  context.after(async () => {
    await stt.close();
    await server.close();
  });
  const { promise, resolve } = Promise.withResolvers<SpeechToTextEvent>();
  const stream = stt.open({ sampleRateHz: 8000, language: "en-GB", keyterms: ["Parley"], onEvent: resolve });
  stream.write(tone(600, 8000, 6000));
  stream.startUtterance(600);
  stream.flush(1);
  return await promise;
}

test("an utterance is answered with its text", async (context) => {
  assert.deepEqual(await recognize(context, {}), { type: "flushed", flushId: 1, text: "When are you open?" });
});
