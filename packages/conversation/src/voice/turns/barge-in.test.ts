import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../../testing/call-driver.ts";
import { callWithLongAnswer, LONG_ANSWER } from "../../testing/long-answer.ts";

test("barging in silences the agent within one frame of the decision", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  const from = call.frames.length;
  await call.makeNoise(400);
  const decidedAtMs = call.decisions.find(({ effects }) => effects.some(({ type }) => type === "pauseSpeech"))
    ?.event.atMs;
  const lastFrame = call.frames.findLastIndex((frame) => frame !== undefined);
  assert.ok(decidedAtMs !== undefined);
  assert.ok(lastFrame * 20 <= decidedAtMs, `last frame at ${lastFrame * 20}, decision at ${decidedAtMs}`);
  assert.ok((lastFrame - from) * 20 <= 240, "speech onset to last frame");
});

test("interrupted audio fades out", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.makeNoise(400);
  const last = call.frames.findLast((frame) => frame !== undefined);
  assert.ok(last !== undefined && last.subarray(0, 20).some((sample) => sample !== 0));
  assert.ok(last.subarray(-4).every((sample) => Math.abs(sample) < 200));
});

test("an interrupted message contains only what was heard, in the transcript and for the model", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.say("only those by the sea please", 1000);
  await call.letAgentFinish();
  const [, cut, , answer] = call.items;
  assert.ok(cut?.type === "message" && cut.interrupted === true);
  assert.ok(LONG_ANSWER.startsWith(cut.text) && cut.text.length > 10 && cut.text.length < 40, cut.text);
  assert.equal(answer?.text, "Very well.");
  const prompt = call.model.requests[1]?.prompt.map(({ role, content }) =>
    typeof content === "string"
      ? [role]
      : [role, ...content.map((part) => (part.type === "text" ? part.text : ""))],
  );
  assert.deepEqual(prompt, [
    ["system"],
    ["user", "tell me about the rooms"],
    ["assistant", cut.text],
    ["user", "only those by the sea please"],
  ]);
});

test("word timings of the provider decide which words were heard", async () => {
  const call = new CallDriver({ replies: [LONG_ANSWER] });
  call.tts.sendsWordTimings = true;
  call.start();
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  // "We have many rooms," lasts 19 characters of 60 ms; "many" ends at 780 ms, "rooms," at 1140 ms.
  await call.stayQuiet(700);
  await call.say("stop", 300);
  await call.stayQuiet(300);
  assert.equal(call.items.at(-1)?.text, "We have many");
});

test("an interruption cancels model and synthesis", async () => {
  const call = new CallDriver({
    replies: [[{ type: "text", text: "Let me tell you about it, it is quite a story. " }, { type: "stall" }]],
  });
  call.start();
  await call.say("tell me", 800);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("stop", 400);
  await call.stayQuiet(300);
  assert.equal(call.tts.streams[0]?.isClosed, true);
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
});

test("speech shorter than the threshold does not stop the agent", async () => {
  const call = await callWithLongAnswer({ agent: { interruptionThresholdMs: 400 } });
  await call.stayQuiet(500);
  await call.say("mhm", 300);
  await call.letAgentFinish();
  await call.stayQuiet(2000);
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
});

test("noise without words pauses the agent briefly, and nothing of its answer is lost", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(500);
  await call.makeNoise(400);
  assert.equal(call.isSpeaking, false);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
  const heardMs = call.frames.filter((frame) => frame !== undefined).length * 20;
  const spoken = call.tts.spoken.flat().reduce((ms, clause) => ms + call.tts.durationMs(clause), 0);
  assert.equal(heardMs, spoken);
});

/** Duration of the agent's silence in the middle of its answer. */
function gapMs(call: CallDriver): number {
  const heard = call.frames.map((frame) => frame !== undefined);
  return heard.slice(heard.indexOf(true), heard.lastIndexOf(true)).filter((isHeard) => !isHeard).length * 20;
}

test("each false interruption raises the threshold for the next", async () => {
  const call = await callWithLongAnswer();
  for (let i = 0; i < 4; i++) {
    await call.stayQuiet(300);
    await call.makeNoise(400);
  }
  await call.letAgentFinish();
  assert.ok(gapMs(call) > 100 && gapMs(call) < 1200, `${gapMs(call)} ms`);
});

test("a speaker in the background does not keep the agent silent", async () => {
  const call = await callWithLongAnswer();
  call.stt.hearWords("yeah right");
  await call.makeNoise(16_000);
  assert.equal(call.transcript.at(-1), `agent: ${LONG_ANSWER}`);
});

test("a backchannel does not interrupt, unless more words follow it", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(300);
  await call.say("uh-huh, okay", 400);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.say("but wait", 500);
  await call.letAgentFinish();
  assert.equal(call.transcript[2], "user: uh-huh, okay but wait");
  assert.equal(call.transcript[3], "agent: Very well.");
});

test("each language has its own words of attention, which can be switched off", async () => {
  for (const [language, words, ignoresBackchannels, isIgnored] of [
    ["de-AT", "ja genau", true, true],
    ["de", "ja genau", false, false],
    ["de", "yeah exactly", true, false],
    ["ja", "なるほど", true, true],
    ["en", "yeah exactly", false, false],
  ] as const) {
    const call = await callWithLongAnswer({ agent: { language, ignoresBackchannels } });
    await call.stayQuiet(300);
    await call.say(words, 800);
    await call.letAgentFinish();
    const isWhole = call.transcript.at(-1) === `agent: ${LONG_ANSWER}`;
    assert.equal(isWhole, isIgnored, `${language}: ${words}`);
  }
});

test("words on the agent's ignore list do not interrupt, and neither do too few words", async () => {
  const agent = { interruptionIgnoreWords: ["na klar"], minInterruptionWords: 2, language: "de" };
  const call = await callWithLongAnswer({ agent });
  await call.say("na klar", 300);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.stayQuiet(800);
  await call.say("moment", 500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(1), [`agent: ${LONG_ANSWER}`]);
});

test("the agent's own words returning over the line do not interrupt it", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.say("We have many", 400);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(1), [`agent: ${LONG_ANSWER}`]);
});

test("an agent with interruptions disabled cannot be interrupted", async () => {
  const call = await callWithLongAnswer({ agent: { disableInterruptions: true } });
  await call.stayQuiet(500);
  await call.say("wait a moment", 1500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
});

test("a caller who speaks past the end of an uninterruptible agent's speech is answered", async () => {
  const call = new CallDriver({
    agent: { disableInterruptions: true },
    replies: ["Yes, of course.", "Thank you."],
  });
  call.start();
  await call.say("may I", 800);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("my name is Ann", 2500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(2), ["user: my name is Ann", "agent: Thank you."]);
});
