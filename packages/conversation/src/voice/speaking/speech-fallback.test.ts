import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver, type CallDriverOptions } from "../../testing/call-driver.ts";
import { FakeTextToSpeech, type FakeSynthesis } from "../../testing/fake-text-to-speech.ts";
import { PhraseBook } from "./speech-phrases.ts";
import { emergencyTexts, standardTexts } from "./speech-texts.ts";
import { VoiceSpeeds } from "./voice-speeds.ts";

const ANSWER = "We are open from nine to five. We are closed on Sunday. Shall I book you a place?";
const APOLOGY = "I'm sorry, I'm having technical difficulties. Please try again later. Goodbye.";
const [FIRST_FILLER, SECOND_FILLER] = standardTexts("en-GB").fillers;
const STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;

async function preparedPhrases(): Promise<PhraseBook> {
  const tts = new FakeTextToSpeech();
  tts.firstByteMs = 0;
  tts.chunkIntervalMs = 0;
  const book = new PhraseBook();
  await book.prepare([{ tts, voice: "fake" }], STYLE, emergencyTexts("en"));
  return book;
}

async function ask(tts: FakeSynthesis[], options: CallDriverOptions = {}): Promise<CallDriver> {
  const call = new CallDriver({ replies: [ANSWER], hasFallback: true, ...options });
  call.tts.behaviors.push(...tts);
  call.start();
  await call.say("when are you open", 900);
  return call;
}

/** The longest silence of the agent from the end of the caller's turn to the end of its answer. */
function longestSilenceMs(call: CallDriver, fromMs: number): number {
  const lastFrame = call.frames.findLastIndex((frame) => frame !== undefined);
  let longest = 0;
  let silent = 0;
  for (const frame of call.frames.slice(fromMs / 20, lastFrame)) {
    silent = frame === undefined ? silent + 1 : 0;
    longest = Math.max(longest, silent);
  }
  return longest * 20;
}

for (const [what, behaviors] of [
  ["refuses", ["failForGood"]],
  ["loses its connection twice", ["fail", "fail"]],
  ["stalls before its first audio", ["stall"]],
] as const) {
  test(`a voice that ${what} is replaced by the second one in the same turn`, async () => {
    const call = await ask([...behaviors]);
    await call.waitUntil(() => call.isSpeaking, 2000);
    await call.letAgentFinish();
    assert.equal(call.transcript.at(-1), `agent: ${ANSWER}`);
    assert.equal(call.end, undefined);
  });
}

test("a greeting is heard within 300 ms of the deadline of a dead voice, from one that was never measured", async () => {
  const firstMessage = "Good morning and welcome to the museum of natural history, how can I help you today?";
  const call = new CallDriver({ hasFallback: true, agent: { firstMessage }, speeds: new VoiceSpeeds() });
  call.tts.behaviors.push("stall");
  call.start();
  await call.letAgentFinish();
  // The deadline is 1,200 ms.
  const silentMs = 20 * call.frames.findIndex((frame) => frame !== undefined);
  assert.ok(silentMs > 1_200 && silentMs <= 1_500, `${silentMs} ms`);
  assert.deepEqual(call.transcript, [`agent: ${firstMessage}`]);
});

for (const behavior of ["failAfterAudio", "stallAfterAudio"] as const) {
  for (const sendsWordTimings of [true, false]) {
    test(`after ${behavior} ${sendsWordTimings ? "with" : "without"} word timings the second voice continues, with no word repeated or lost`, async () => {
      // The turn ends with its text, so that the answer is not prepared.
      const call = new CallDriver({ replies: [ANSWER], hasFallback: true, endpointing: 150 });
      call.tts.sendsWordTimings = sendsWordTimings;
      call.tts.chunkMs = 700;
      // The speaking rate that is assumed without word timings.
      call.tts.msPerCharacter = 1000 / 15;
      // A lost connection is reopened once before another voice takes over.
      if (behavior === "failAfterAudio") call.tts.behaviors.push("fail");
      call.tts.behaviors.push(behavior);
      call.start();
      await call.say("when are you open", 900);
      await call.letAgentFinish();
      assert.equal(call.transcript.at(-1), `agent: ${ANSWER}`);
      const words = call.fallback.spoken.flat().join(" ");
      assert.ok(ANSWER.endsWith(words) && words !== ANSWER, words);
      assert.ok(longestSilenceMs(call, 1600) <= 1000, `${longestSilenceMs(call, 1600)} ms`);
    });
  }
}

test("a replaced voice is not tried again in this call", async () => {
  const call = await ask(["stall"], { replies: [ANSWER, ANSWER] });
  await call.letAgentFinish();
  await call.say("thank you", 900);
  await call.letAgentFinish();
  assert.equal(call.tts.streams.length, 1);
  assert.equal(call.fallback.streams.length, 2);
});

test("when all voices fail a recorded apology is heard and the call ends with the reason", async () => {
  const call = new CallDriver({ replies: [ANSWER], hasFallback: true, phrases: await preparedPhrases() });
  call.tts.behaviors.push("failForGood");
  call.fallback.behaviors.push("failForGood");
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.end !== undefined, 12_000);
  assert.equal(call.transcript.at(-1), `agent: ${APOLOGY}`);
  assert.equal(call.end?.endReason, "error_tts");
});

test("while a model stalls the caller hears filler phrases, and no silence exceeds a second and a half", async () => {
  const call = new CallDriver({
    replies: [[{ type: "stall" }], ANSWER],
    phrases: await preparedPhrases(),
  });
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.transcript.at(-1) === `agent: ${ANSWER}`, 25_000);
  assert.deepEqual(call.transcript.slice(0, 3), [
    "user: when are you open",
    `agent: ${FIRST_FILLER}`,
    `agent: ${SECOND_FILLER}`,
  ]);
  assert.ok(longestSilenceMs(call, 1600) <= 1500, `${longestSilenceMs(call, 1600)} ms`);
  assert.deepEqual(
    call.items.map(({ text }) => text),
    call.dialogue.history.map(({ text }) => text),
  );
});

test("a recognizer that does not answer causes no dead air", async () => {
  const call = new CallDriver({ replies: [ANSWER], phrases: await preparedPhrases() });
  call.stt.answers.push("stall");
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.transcript.at(-1) === `agent: ${ANSWER}`, 25_000);
  assert.ok(longestSilenceMs(call, 1600) <= 1500, `${longestSilenceMs(call, 1600)} ms`);
});

test("a filler phrase played before the recognizer answers follows the caller's words in the transcript", async () => {
  const call = new CallDriver({ replies: [ANSWER], phrases: await preparedPhrases() });
  call.stt.answers.push("stall");
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.transcript.at(-1) === `agent: ${ANSWER}`, 25_000);
  assert.deepEqual(call.transcript.slice(0, 2), ["user: when are you open", `agent: ${FIRST_FILLER}`]);
  assert.deepEqual(
    call.items.map(({ text }) => text),
    call.dialogue.history.map(({ text }) => text),
  );
  const startsMs = call.items.map(({ startMs }) => startMs);
  assert.deepEqual(
    startsMs,
    startsMs.toSorted((a, b) => a - b),
  );
});

test("a filler phrase for words that are never recognized is in the transcript", async () => {
  const call = new CallDriver({ phrases: await preparedPhrases() });
  call.stt.answers.push("stall");
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.isSpeaking);
  await call.waitUntil(() => !call.isSpeaking);
  call.conversation.end("user_hangup");
  assert.deepEqual(call.transcript, [`agent: ${FIRST_FILLER}`]);
  assert.equal(call.events.at(-1)?.type, "ended");
});

test("a caller who speaks over a filler phrase stops it", async () => {
  const call = new CallDriver({ replies: [[{ type: "stall" }]], phrases: await preparedPhrases() });
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(300);
  await call.say("hello", 400);
  assert.equal(call.isSpeaking, false);
  const said = call.items.find((item) => item.type === "message" && item.role === "agent");
  assert.ok(said?.type === "message" && said.interrupted === true);
});

test("a quick answer is not delayed by a filler phrase", async () => {
  const call = new CallDriver({ replies: [ANSWER], phrases: await preparedPhrases() });
  call.start();
  await call.say("when are you open", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: when are you open", `agent: ${ANSWER}`]);
});

test("a speech whose source hangs beyond every deadline is ended", async () => {
  const call = new CallDriver({
    replies: [[{ type: "text", text: "We are open from nine. " }, { type: "stall" }]],
    dialogue: { deadlines: { betweenTokensMs: 10 ** 9 } },
  });
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.end !== undefined, 60_000);
  assert.equal(call.end?.endReason, "error_llm");
});

test("under all failures the agent counts as speaking exactly while frames are handed out", async () => {
  const faults: FakeSynthesis[] = ["fail", "stall", "failForGood", "failAfterAudio", "stallAfterAudio", "ok"];
  const phrases = await preparedPhrases();
  for (const first of faults) {
    for (const second of faults) {
      const call = new CallDriver({ replies: [ANSWER], hasFallback: true, phrases });
      call.tts.behaviors.push(first);
      call.fallback.behaviors.push(second);
      call.start();
      await call.say("when are you open", 900);
      for (let ticks = 0; ticks < 1000 && call.end === undefined; ticks++) {
        await call.stayQuiet(20);
        const isShown = call.state === "speaking";
        assert.equal(isShown && call.end === undefined, call.isSpeaking && call.end === undefined);
      }
      assert.notEqual(call.state === "speaking" && call.end === undefined, true, `${first}, ${second}`);
    }
  }
});

test("a phrase that no voice can synthesize is left out", async () => {
  const tts = new FakeTextToSpeech();
  tts.behaviors.push("failForGood");
  const book = new PhraseBook();
  await book.prepare([{ tts, voice: "fake" }], STYLE, [APOLOGY]);
  assert.equal(book.find([{ tts, voice: "fake" }], STYLE, APOLOGY), undefined);
  book.close();
});

test("phrases are synthesized once for all calls, by the first voice that can", async () => {
  const broken = new FakeTextToSpeech();
  broken.behaviors.push("fail");
  const able = new FakeTextToSpeech();
  able.firstByteMs = 0;
  able.chunkIntervalMs = 0;
  const voices = [
    { tts: broken, voice: "first" },
    { tts: able, voice: "second" },
  ];
  const book = new PhraseBook();
  const texts = ["Yes.", "No."];
  await Promise.all([book.prepare(voices, STYLE, texts), book.prepare(voices, STYLE, texts)]);
  assert.equal(broken.streams.length, 1);
  assert.deepEqual(able.spoken, [["Yes."], ["No."]]);
  assert.ok((book.find(voices, STYLE, "No.")?.length ?? 0) > 0);
});

test("every language has its texts, and the others use the English ones", () => {
  assert.match(standardTexts("de-AT").apology, /Es tut mir leid/);
  assert.equal(standardTexts("tlh").apology, APOLOGY);
  assert.deepEqual(emergencyTexts("en").at(-1), APOLOGY);
});
