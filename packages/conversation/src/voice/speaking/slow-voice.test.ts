import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver, type CallDriverOptions } from "../../testing/call-driver.ts";
import { FakeTextToSpeech } from "../../testing/fake-text-to-speech.ts";
import { PhraseBook } from "./speech-phrases.ts";
import { emergencyTexts, standardTexts } from "./speech-texts.ts";
import { VoiceSpeeds } from "./voice-speeds.ts";

/** The first clause ends at the comma, the others with their sentences. */
const CLAUSES = [
  "Certainly I can help you, ",
  "we are open from nine to five on weekdays and from ten to two on Saturdays. ",
  "The museum is closed.",
];
const ANSWER = CLAUSES.join("");
const STYLE = { sampleRateHz: 8000, language: "en", speed: 1 } as const;

interface Voice {
  /** Seconds of synthesis per second of audio. */
  realTimeFactor: number;
  firstByteMs?: number;
}

function callWith({ realTimeFactor, firstByteMs = 60 }: Voice, options: CallDriverOptions = {}): CallDriver {
  const call = new CallDriver(options);
  call.tts.chunkIntervalMs = call.tts.chunkMs * realTimeFactor;
  call.tts.firstByteMs = firstByteMs;
  return call;
}

async function phrasesOf(texts: readonly string[]): Promise<PhraseBook> {
  const tts = new FakeTextToSpeech();
  tts.firstByteMs = 0;
  tts.chunkIntervalMs = 0;
  const book = new PhraseBook();
  await book.prepare([{ tts, voice: "fake" }], STYLE, texts);
  return book;
}

/** Milliseconds of audio before each silence in the agent's speech, from a frame on. */
function silences(call: CallDriver, fromFrame = 0): number[] {
  const frames = call.frames.slice(
    fromFrame,
    call.frames.findLastIndex((frame) => frame !== undefined),
  );
  let playedMs = 0;
  const places: number[] = [];
  for (const [index, frame] of frames.entries()) {
    if (frame !== undefined) playedMs += 20;
    else if (playedMs > 0 && frames[index - 1] !== undefined) places.push(playedMs);
  }
  return places;
}

/** Ends of the clauses, in milliseconds of the answer's audio. */
function clauseEnds(call: CallDriver): number[] {
  let endMs = 0;
  return CLAUSES.map((clause) => {
    endMs += Math.ceil(call.tts.durationMs(clause.trim()) / 20) * 20;
    return endMs;
  });
}

async function ask(call: CallDriver): Promise<number> {
  call.start();
  await call.say("when are you open", 900);
  const fromFrame = call.frames.length;
  await call.letAgentFinish();
  return fromFrame;
}

for (const realTimeFactor of [0.5, 0.9, 1.3, 3]) {
  for (const isKnown of [true, false]) {
    test(`a voice at ${realTimeFactor} times real time, ${isKnown ? "measured before" : "unknown"}, pauses only between clauses`, async () => {
      const speeds = new VoiceSpeeds();
      const call = callWith({ realTimeFactor }, { replies: [ANSWER], speeds });
      const clause = { text: ANSWER, speed: 1, audioMs: call.tts.durationMs(ANSWER) };
      const tookMs = clause.audioMs * realTimeFactor;
      if (isKnown) speeds.observe({ tts: call.tts, voice: "fake" }, { ...clause, tookMs });
      const fromFrame = await ask(call);
      assert.equal(call.transcript.at(-1), `agent: ${ANSWER}`);
      assert.equal(call.tts.streams.length, 1);
      const ends = clauseEnds(call);
      for (const placeMs of silences(call, fromFrame))
        assert.ok(ends.includes(placeMs), `at ${placeMs} of ${ends.join()}`);
    });
  }
}

test("a voice that becomes slower than measured pauses within a clause once, and between phrases from then on", async () => {
  const speeds = new VoiceSpeeds();
  const call = callWith({ realTimeFactor: 1.5 }, { replies: [ANSWER], speeds });
  const audioMs = call.tts.durationMs(ANSWER);
  const voice = { tts: call.tts, voice: "fake" };
  speeds.observe(voice, { text: ANSWER, speed: 1, tookMs: audioMs * 0.2, audioMs });
  const fromFrame = await ask(call);
  const ends = clauseEnds(call);
  const inside = silences(call, fromFrame).filter((placeMs) => !ends.includes(placeMs));
  assert.equal(inside.length, 1);
  assert.ok((speeds.realTimeFactorOf(voice) ?? 0) > 1);
});

for (const realTimeFactor of [0.2, 1.5]) {
  test(`an endless clause is heard, from a voice at ${realTimeFactor} times real time`, async () => {
    const endless = "word ".repeat(60).trim();
    const call = callWith({ realTimeFactor }, { replies: [endless], speeds: new VoiceSpeeds() });
    call.start();
    await call.say("talk to me", 900);
    await call.waitUntil(() => call.transcript.length === 2, 60_000);
    assert.equal(call.transcript.at(-1), `agent: ${endless}`);
    assert.equal(call.end, undefined);
  });
}

test("a fast voice starts before its clause is complete, and without a gap", async () => {
  const sentence = "We are open from nine to five on weekdays and from ten to two on other days.";
  const call = callWith({ realTimeFactor: 0.5 }, { replies: [sentence] });
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.tts.streams.length > 0);
  const askedMs = call.nowMs;
  await call.waitUntil(() => call.isSpeaking);
  assert.ok(call.nowMs - askedMs < call.tts.durationMs(sentence) * 0.5, `${call.nowMs - askedMs}`);
  await call.letAgentFinish();
  assert.deepEqual(silences(call), []);
});

test("a phrase of a slow voice is heard as soon as it is complete", async () => {
  const replies = ["We are open all day long today."];
  const call = callWith({ realTimeFactor: 1.3 }, { replies, speeds: new VoiceSpeeds() });
  call.tts.phraseMs = 600;
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.tts.streams.length > 0);
  const askedMs = call.nowMs;
  await call.waitUntil(() => call.isSpeaking);
  assert.ok(call.nowMs - askedMs < 1_000, `${call.nowMs - askedMs}`);
  await call.letAgentFinish();
  assert.ok(silences(call).every((placeMs) => placeMs % 600 === 0));
});

test("a slow voice without a replacement is waited for", async () => {
  const call = callWith({ realTimeFactor: 3 }, { replies: ["We have no rooms left tonight."] });
  // Known to be slow, and silent for longer than any other voice may be.
  call.tts.firstByteMs = 5_000;
  await ask(call);
  assert.equal(call.end?.endReason, "error_tts");
  const slow = new CallDriver({ replies: ["We have no rooms left tonight."], speeds: slowSpeeds(call) });
  slow.tts.firstByteMs = 5_000;
  await ask(slow);
  assert.equal(slow.transcript.at(-1), "agent: We have no rooms left tonight.");
});

function slowSpeeds({ tts }: CallDriver): VoiceSpeeds {
  const speeds = new VoiceSpeeds();
  speeds.observe({ tts, voice: "fake" }, { text: "x".repeat(30), speed: 1, tookMs: 6_000, audioMs: 2_000 });
  return speeds;
}

test("no filler phrase comes before a slow greeting", async () => {
  const call = callWith(
    { realTimeFactor: 0.3, firstByteMs: 3_800 },
    { agent: { firstMessage: "Hello, this is Parley." }, phrases: await phrasesOf(emergencyTexts("en")) },
  );
  call.start();
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello, this is Parley."]);
});

test("no filler phrase comes before a delayed greeting, even if the caller speaks", async () => {
  const call = callWith(
    { realTimeFactor: 0.3 },
    {
      agent: { firstMessage: "Hello, this is Parley.", firstMessageDelayMs: 4_000 },
      phrases: await phrasesOf(emergencyTexts("en")),
    },
  );
  call.stt.answers.push("stall", "stall", "stall");
  call.start();
  await call.say("hello", 500);
  await call.letAgentFinish();
  assert.equal(
    call.transcript.find((line) => line.startsWith("agent")),
    "agent: Hello, this is Parley.",
  );
});

test("filler phrases bridge a slow answer, but not a slow reminder", async () => {
  const phrases = await phrasesOf(emergencyTexts("en"));
  const [filler] = standardTexts("en").fillers;
  const slow = { realTimeFactor: 0.3, firstByteMs: 3_000 };
  const agent = { firstMessage: "Hello.", turnTimeoutSeconds: 3 };
  const idle = callWith(slow, { replies: ["Are you there?"], agent, phrases });
  idle.start();
  await idle.waitUntil(() => idle.transcript.length === 2);
  assert.deepEqual(idle.transcript, ["agent: Hello.", "agent: Are you there?"]);
  const asked = callWith(slow, { replies: ["We have a room."], phrases });
  await ask(asked);
  await asked.waitUntil(() => asked.transcript.length > 2);
  assert.deepEqual(asked.transcript.slice(1), [`agent: ${filler}`, "agent: We have a room."]);
});

test("no filler phrase comes in the middle of a slow voice's answer", async () => {
  const call = callWith(
    { realTimeFactor: 3 },
    { replies: [ANSWER], phrases: await phrasesOf(emergencyTexts("en")) },
  );
  await ask(call);
  await call.waitUntil(() => call.transcript.at(-1) === `agent: ${ANSWER}`);
  const answer = call.items.at(-1);
  const others = call.items.slice(0, -1);
  assert.ok(others.every(({ endMs }) => endMs <= (answer?.startMs ?? 0)));
});
