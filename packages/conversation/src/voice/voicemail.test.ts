import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver, type CallDriverOptions } from "../testing/call-driver.ts";
import type { AnsweredBy } from "./answer/answer-detection.ts";

const MESSAGE = "Hello Sam, this is the library. Your book is ready.";
const GREETING = "Hello, this is the library.";
const MAILBOX = "Hi, this is Sam, I can't come to the phone, please leave a message after the tone";

/** An outbound call that finds out who answers; `message` is for a mailbox. */
async function dial(message: string, options: CallDriverOptions = {}): Promise<CallDriver> {
  const agent = { firstMessage: GREETING, ...options.agent, voicemail: { message } };
  const call = new CallDriver({ replies: ["Fine."], endpointing: "adaptive", ...options, agent });
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(2_000);
  await prepared;
  call.start();
  return call;
}

const answersOf = ({ events }: CallDriver): AnsweredBy[] =>
  events.flatMap((event) => (event.type === "answeredBy" ? [event.by] : []));

/** Time from the end of the callee's sound to the agent's first frame. */
async function waitForAgent(call: CallDriver): Promise<number> {
  const fromMs = call.nowMs;
  await call.waitUntil(() => call.isSpeaking || call.end !== undefined);
  return call.nowMs - fromMs;
}

test("the agent waits for a person's hello and greets as soon as it has ended", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(700);
  await call.say("Hello?", 500);
  assert.ok(!call.frames.some(Boolean), "the agent spoke over the hello");
  const waitedMs = await waitForAgent(call);
  assert.ok(waitedMs <= 420, `${waitedMs} ms`);
  await call.letAgentFinish();
  assert.deepEqual(answersOf(call), ["human"]);
  assert.deepEqual(call.transcript, ["user: Hello?", `agent: ${GREETING}`]);
});

for (const delayMs of [2_000, 4_500])
  test(`a hello whose words come ${delayMs} ms late is greeted, stands in the transcript and stops nothing`, async () => {
    const call = await dial(MESSAGE);
    call.stt.delayMs = delayMs;
    await call.stayQuiet(700);
    await call.say("Hello?", 500);
    const waitedMs = await waitForAgent(call);
    assert.ok(waitedMs <= 900, `${waitedMs} ms`);
    await call.letAgentFinish();
    await call.stayQuiet(delayMs);
    assert.deepEqual(answersOf(call), ["human"]);
    assert.deepEqual(call.transcript.toSorted(), [`agent: ${GREETING}`, "user: Hello?"]);
    call.stt.delayMs = 80;
    call.stt.forget();
    await call.say("I would like a book.", 900);
    await call.letAgentFinish();
    assert.deepEqual(call.transcript.slice(2), ["user: I would like a book.", "agent: Fine."]);
  });

test("a person's question is recognized at once, and the agent does not speak before their words end", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(400);
  await call.say("Good morning, Greenfield Dental, Laura speaking, how can I help you today?", 5_000);
  const [verdict] = call.events.filter(({ type }) => type === "answeredBy");
  assert.deepEqual(answersOf(call), ["human"]);
  assert.ok(verdict?.type === "answeredBy" && verdict.atMs <= 3_000, JSON.stringify(verdict));
  assert.ok(!call.frames.some(Boolean), "the agent spoke over the person");
  const waitedMs = await waitForAgent(call);
  assert.ok(waitedMs <= 480, `${waitedMs} ms`);
  assert.deepEqual(answersOf(call), ["human"]);
});

test("the delay of the first message counts from the answer, not from the hello", async () => {
  const call = await dial(MESSAGE, { agent: { firstMessageDelayMs: 3_000 } });
  await call.say("Hello?", 500);
  await call.waitUntil(() => call.isSpeaking);
  assert.ok(call.nowMs >= 3_000 && call.nowMs <= 3_100, String(call.nowMs));
});

test("an agent that lets the other side begin answers a person's words", async () => {
  const call = await dial(MESSAGE, { agent: { startSpeaker: "user" } });
  await call.stayQuiet(300);
  await call.say("Hello, who is this?", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: Hello, who is this?", "agent: Fine."]);
});

test("the agent greets a callee who says nothing", async () => {
  const call = await dial(MESSAGE);
  await call.waitUntil(() => call.isSpeaking);
  assert.ok(call.nowMs >= 2_300 && call.nowMs <= 2_500, String(call.nowMs));
  assert.deepEqual(answersOf(call), ["silence"]);
});

test("without a message the call ends in silence at a mailbox, whose words stand in the transcript", async () => {
  const call = await dial("");
  await call.stayQuiet(300);
  await call.say(MAILBOX, 3_000);
  assert.equal(call.end?.endReason, "voicemail");
  assert.ok(!call.frames.some(Boolean));
  assert.deepEqual(call.transcript, [`system: Voicemail answered. It said: “${MAILBOX}”`]);
  assert.deepEqual(
    call.dialogue.history.map(({ type }) => type),
    ["system"],
  );
});

test("the message is left whole after the beep, whatever is heard meanwhile, and the call ends", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(300);
  await call.say(MAILBOX, 4_000);
  await call.stayQuiet(900);
  assert.ok(!call.frames.some(Boolean), "the agent spoke before the beep");
  await call.beep(400);
  const waitedMs = await waitForAgent(call);
  assert.ok(waitedMs <= 300, `${waitedMs} ms`);
  await call.say("beep beep", 900);
  call.conversation.dtmf("1");
  assert.equal(call.conversation.instruct({ text: "Say more.", speak: true }), false);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.end, { type: "ended", endReason: "voicemail", endDetail: "a message was left" });
  assert.deepEqual(call.transcript.slice(1), [`agent: ${MESSAGE}`]);
});

test("without a beep the message follows 1.5 s of silence", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(300);
  await call.say(MAILBOX, 4_000);
  const waitedMs = await waitForAgent(call);
  assert.ok(waitedMs >= 1_480 && waitedMs <= 1_700, `${waitedMs} ms`);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "voicemail");
  assert.equal(call.transcript.at(-1), `agent: ${MESSAGE}`);
});

test("a beep during the message begins it again, once", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(300);
  await call.say(MAILBOX, 4_000);
  await waitForAgent(call);
  await call.stayQuiet(300);
  await call.beep(400);
  await call.stayQuiet(200);
  await call.beep(400);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.transcript.filter((line) => line === `agent: ${MESSAGE}`).length, 1);
  assert.equal(call.transcript.length, 3);
});

test("a fax machine gets no message", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(300);
  await call.beep(2_000, 2_100);
  assert.deepEqual(call.end, { type: "ended", endReason: "voicemail", endDetail: "a fax machine answered" });
  assert.deepEqual(call.transcript, ["system: A fax machine answered."]);
});

test("a mailbox that first sounds like a person interrupts the greeting and gets the message", async () => {
  const call = await dial(MESSAGE);
  await call.stayQuiet(200);
  await call.say("Hello.", 400);
  await waitForAgent(call);
  await call.say("You have reached my voicemail, leave a message", 1_800);
  await call.stayQuiet(600);
  assert.deepEqual(answersOf(call), ["human", "machine"]);
  await call.beep(300);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "voicemail");
  assert.equal(call.transcript.at(-1), `agent: ${MESSAGE}`);
});

test("a greeting that does not end gets no message", async () => {
  const call = await dial(MESSAGE);
  await call.say(MAILBOX, 100_000);
  assert.deepEqual(call.end, {
    type: "ended",
    endReason: "voicemail",
    endDetail: "no message was left: the greeting did not end",
  });
});

test("a message that cannot be spoken ends the call as a voicemail", async () => {
  const call = await dial(MESSAGE);
  call.tts.behaviors.push("failForGood", "failForGood");
  await call.say(MAILBOX, 4_000);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "voicemail");
  assert.match(call.end.endDetail ?? "", /^no message was left: /);
});

test("the language model is asked about unclear words, and its opinion decides", async () => {
  const asked: string[] = [];
  const call = await dial("", {
    answerJudge: async (text) => {
      asked.push(text);
      return await Promise.resolve("machine");
    },
  });
  const text = "Well well dear friends of the house";
  await call.say(text, 2_300);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(asked, [text]);
  assert.equal(call.end?.endReason, "voicemail");
});

test("a call without voicemail detection reports nothing about it", async () => {
  const call = new CallDriver({ agent: { firstMessage: GREETING } });
  call.start();
  await call.beep(500);
  await call.say(MAILBOX, 4_000);
  assert.deepEqual(answersOf(call), []);
  assert.ok(!call.decisions.some(({ event }) => event.type === "tone"));
});
