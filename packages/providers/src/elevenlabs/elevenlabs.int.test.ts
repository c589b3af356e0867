import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { TextToSpeechEvent, TextToSpeechStream } from "@parley/conversation";
import {
  startScriptedElevenLabs,
  type ScriptedElevenLabsOptions,
  type ScriptedServer,
} from "../testing/index.ts";
import { createElevenLabsTextToSpeech, type ElevenLabsTextToSpeech } from "./elevenlabs.ts";

interface Studio {
  server: ScriptedServer;
  voice: ElevenLabsTextToSpeech;
}

async function start(context: TestContext, options: ScriptedElevenLabsOptions = {}): Promise<Studio> {
  const server = await startScriptedElevenLabs({ apiKey: "key", ...options });
  const voice = createElevenLabsTextToSpeech({ apiKey: "key", baseUrl: server.url });
  context.after(async () => {
    voice.close();
    await server.close();
  });
  return { server, voice };
}

interface Reply {
  stream: TextToSpeechStream;
  events: TextToSpeechEvent[];
  /** Resolves at `ended` or `failed`. */
  over: Promise<TextToSpeechEvent>;
}

function say(voice: ElevenLabsTextToSpeech, onEvent: (event: TextToSpeechEvent) => void = () => {}): Reply {
  const events: TextToSpeechEvent[] = [];
  const { promise: over, resolve } = Promise.withResolvers<TextToSpeechEvent>();
  const stream = voice.open({
    voice: "rachel",
    sampleRateHz: 8000,
    language: "en-GB",
    speed: 1,
    onEvent: (event) => {
      events.push(event);
      onEvent(event);
      if (event.type === "ended" || event.type === "failed") resolve(event);
    },
  });
  return { stream, events, over };
}

function audioMs(events: TextToSpeechEvent[], clauseId: number): number {
  const samples = events.map((event) =>
    event.type === "audio" && event.clauseId === clauseId ? event.pcm.length : 0,
  );
  return samples.reduce((sum, length) => sum + length, 0) / 8;
}

test("clauses are returned as audio and word times, each with its end, and the reply with its own", async (context) => {
  const { voice } = await start(context);
  const { stream, events, over } = say(voice);
  stream.speak(1, "We open at nine.");
  stream.speak(2, "See you then!");
  stream.end();
  assert.equal((await over).type, "ended");
  assert.equal(audioMs(events, 1), 16 * 60);
  // Includes the pause between the two, which is a chunk of its own.
  assert.equal(audioMs(events, 2), 15 * 60);
  const words = events.flatMap((event) =>
    event.type === "words" && event.clauseId === 1 ? event.words : [],
  );
  assert.deepEqual(words, [
    { text: "We", startMs: 0, endMs: 120 },
    { text: "open", startMs: 180, endMs: 420 },
    { text: "at", startMs: 480, endMs: 600 },
    { text: "nine.", startMs: 660, endMs: 960 },
  ]);
  assert.deepEqual(
    events.filter((event) => event.type === "clauseEnded"),
    [
      { type: "clauseEnded", clauseId: 1 },
      { type: "clauseEnded", clauseId: 2 },
    ],
  );
  assert.ok(events.some((event) => event.type === "audio" && event.pcm.some((sample) => sample > 7000)));
});

test("the next reply uses the connection of the previous one", async (context) => {
  const { server, voice } = await start(context);
  for (const text of ["First.", "Second."]) {
    const { stream, over } = say(voice);
    stream.speak(1, text);
    stream.end();
    assert.equal((await over).type, "ended");
  }
  assert.equal(server.stats.connections, 1);
  assert.deepEqual(
    server.stats.exchanges.map((each) => each.conversation),
    ["First.", "Second."],
  );
});

test("a closed reply emits nothing more, and its audio does not enter the next one", async (context) => {
  const { server, voice } = await start(context, { realTimeFactor: 20, chunkMs: 60 });
  const first = await new Promise<Reply>((resolve) => {
    const reply: Reply = say(voice, () => {
      reply.stream.close();
      resolve(reply);
    });
    reply.stream.speak(1, "A long story that nobody waits for.");
  });
  const second = say(voice);
  second.stream.speak(5, "Short.");
  second.stream.end();
  assert.equal((await second.over).type, "ended");
  assert.equal(first.events.length, 1);
  assert.equal(audioMs(second.events, 5), 7 * 60);
  assert.equal(server.stats.connections, 1);
});

test("a paused reply withholds its audio until resumed", async (context) => {
  const { voice } = await start(context, { realTimeFactor: 20, chunkMs: 60 });
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const { stream, events, over } = say(voice, () => resolve());
  stream.speak(1, "Please hold the line for a moment.");
  stream.end();
  await started;
  stream.pause();
  const before = events.length;
  await new Promise((done) => setTimeout(done, 60));
  // Audio that was already read may arrive; without the pause it would be the whole reply.
  assert.ok(events.length - before < 10);
  stream.resume();
  assert.equal((await over).type, "ended");
  assert.equal(audioMs(events, 1), 35 * 60);
});

test("a connection cut within a word fails after the audio that had arrived", async (context) => {
  const { voice } = await start(context, { chunkMs: 60, fault: () => ({ type: "close", after: 3 }) });
  const { stream, events, over } = say(voice);
  stream.speak(1, "Goodbye.");
  const event = await over;
  assert.ok(event.type === "failed");
  assert.equal(event.error.kind, "connection");
  assert.equal(audioMs(events, 1), 180);
  assert.ok(events.every((each) => each.type !== "clauseEnded"));
});

test("a pooled connection that turns out dead costs a reply only time", async (context) => {
  const { server, voice } = await start(context, {
    fault: (connection) => (connection === 0 ? { type: "close", after: 2 } : undefined),
  });
  for (const text of ["One.", "Two."]) {
    const { stream, over } = say(voice);
    stream.speak(1, text);
    stream.end();
    assert.equal((await over).type, "ended");
  }
  assert.equal(server.stats.connections, 2);
});

test("speed and variation reach the vendor; the voice's own variation is not sent", async (context) => {
  const settings: unknown[] = [];
  const { voice } = await start(context, { onVoiceSettings: (each) => settings.push(each) });
  for (const [speed, temperature] of [
    [1.1, 0.7],
    [1, 0],
    [1, 0.35],
    [1, 1],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stream = voice.open({
      voice: "rachel",
      sampleRateHz: 8000,
      language: "en",
      speed,
      temperature,
      onEvent: ({ type }) => type === "ended" && resolve(),
    });
    stream.speak(1, "Yes.");
    stream.end();
    await promise;
  }
  assert.deepEqual(settings, [
    { speed: 1.1 },
    { speed: 1, stability: 1 },
    { speed: 1, stability: 0.75 },
    { speed: 1, stability: 0 },
  ]);
});
