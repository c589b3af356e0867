import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceHandlers, InferenceMethods } from "../inference/methods.ts";
import { SpeechPreparation } from "./speech-preparation.ts";

type Params = InferenceMethods["synthesize"]["params"];

const settled = async (): Promise<void> => void (await new Promise((resolve) => setTimeout(resolve, 5)));

/** Records the requests; a text that contains "fail" cannot be synthesized. */
function record(): { synthesize: NonNullable<InferenceHandlers["synthesize"]>; asked: Params[] } {
  const asked: Params[] = [];
  return {
    asked,
    synthesize: async (params) => {
      asked.push(params);
      await Promise.resolve();
      if (params.text.includes("fail")) throw new Error("no memory");
      return { words: [], isCached: false };
    },
  };
}

const english = { voice: "", speed: 1, language: "en-US" } as const;

test("greetings come first, clause by clause as in a call, followed by the standard texts", async () => {
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  preparation.add({ ...english, texts: ["Hello there caller, this is the club. How are you?", "😀"] });
  await settled();
  assert.deepEqual(
    asked.slice(0, 4).map(({ text }) => text),
    ["Hello there caller,", "this is the club.", "How are you?", "One moment,"],
  );
  assert.ok(asked.every(({ voice, priority }) => voice === "kokoro/af_heart" && priority === "preparation"));
  assert.ok(asked.some(({ text }) => text.startsWith("I'm sorry,")));
});

test("each clause is synthesized once, and again only if it failed", async () => {
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  const speech = { ...english, texts: ["This will fail.", "This will work."] };
  preparation.add(speech);
  preparation.add(speech);
  await settled();
  const first = asked.map(({ text }) => text);
  assert.equal(new Set(first).size, first.length);
  preparation.add(speech);
  await settled();
  assert.deepEqual(
    asked.slice(first.length).map(({ text }) => text),
    ["This will fail."],
  );
});

test("clauses wait for the end of all calls, and at most a minute each", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  preparation.activeCalls = 2;
  preparation.add({ ...english, texts: ["Hello."] });
  const counts: number[] = [];
  for (const ms of [59_000, 1_000, 59_000, 1_000]) {
    context.mock.timers.tick(ms);
    await turns();
    counts.push(asked.length);
  }
  assert.deepEqual(counts, [0, 1, 1, 2]);
  preparation.activeCalls = 1;
  await turns();
  assert.equal(asked.length, 2);
  preparation.activeCalls = 0;
  await turns();
  assert.equal(asked.at(-1)?.text, "Goodbye.");
});

test("a preparation that is closed during a call ends", async () => {
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  preparation.activeCalls = 1;
  preparation.add({ ...english, texts: ["Hello."] });
  preparation.close();
  await settled();
  assert.deepEqual(asked, []);
});

test("the number of waiting clauses is limited", async () => {
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  preparation.add({ ...english, texts: ["word ".repeat(10_000)] });
  for (let agent = 0; agent < 5_000; agent += 1)
    preparation.add({ ...english, texts: [`Hello from ${agent}.`] });
  await settled();
  assert.ok(asked.length > 1_000 && asked.length <= 2_001, `${asked.length}`);
  assert.ok(asked.reduce((sum, { text }) => sum + text.length, 0) < 100_000);
});

test("nothing starts after close", async () => {
  const { synthesize, asked } = record();
  const preparation = new SpeechPreparation(synthesize, "kokoro/af_heart");
  preparation.add({ ...english, texts: ["Hello."] });
  preparation.close();
  preparation.close();
  preparation.add({ ...english, texts: ["Welcome."] });
  await settled();
  assert.ok(asked.length <= 1);
});
