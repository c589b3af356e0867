import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { LONG_ANSWER } from "../testing/long-answer.ts";

test("a greeting prepared before the call is answered begins with the first tick", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(2_000);
  await prepared;
  call.start();
  await call.stayQuiet(20);
  assert.notEqual(call.frames[0], undefined);
});

test("the model prepares for the call's instructions while the phone rings, before its first reply", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  const prepared = call.conversation.prepare(new AbortController().signal);
  assert.deepEqual(call.model.preparedFor, ["Be brief."]);
  assert.deepEqual(call.model.requests, []);
  await call.clock.advance(2_000);
  await prepared;
});

test("a greeting is ready once a second of it is synthesized; the rest arrives while it plays", async () => {
  const greeting =
    "Hello, this is Parley, the receptionist of the town library. What can I do for you this morning?";
  const call = new CallDriver({ agent: { firstMessage: greeting } });
  let isPrepared = false;
  const prepared = call.conversation.prepare(new AbortController().signal).then(() => (isPrepared = true));
  await call.clock.advance(100);
  assert.equal(isPrepared, false);
  await call.clock.advance(2_000);
  await prepared;
});

test("a greeting whose preparation failed is synthesized when the call starts", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  call.tts.behaviors.push("failForGood");
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(100);
  await prepared;
  call.start();
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello, this is Parley."]);
  assert.equal(call.events.filter((event) => event.type === "fault").length, 1);
});

test("preparation ends by its owner's signal", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  call.tts.behaviors.push("stall");
  const controller = new AbortController();
  const prepared = call.conversation.prepare(controller.signal);
  controller.abort();
  await prepared;
  call.start();
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello, this is Parley."]);
});

test("the greeting waits for its delay", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello.", firstMessageDelayMs: 1500 } });
  call.start();
  await call.stayQuiet(1480);
  assert.equal(call.tts.streams.length, 0);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello."]);
});

test("a caller who speaks before the delayed greeting still hears it, and the words are kept", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, you are recorded.", firstMessageDelayMs: 800 },
  });
  call.start();
  await call.stayQuiet(200);
  await call.say("hello?", 700);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: hello?", "agent: Hello, you are recorded."]);
  assert.deepEqual(
    call.dialogue.history.map((entry) => entry.text),
    ["hello?", "Hello, you are recorded."],
  );
});

test("the agent waits if the user speaks first", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley.", startSpeaker: "user" },
    replies: ["Hello there."],
  });
  call.start();
  await call.stayQuiet(3000);
  assert.equal(call.tts.streams.length, 0);
  await call.say("hi", 500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: hi", "agent: Hello there."]);
});

test("a generated greeting comes from the model, is ready when the call is answered and can be interrupted", async () => {
  const call = new CallDriver({
    agent: { firstMessageMode: "generated", firstMessage: "Welcome to Parley" },
    replies: [LONG_ANSWER, "Yes?"],
  });
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(2_000);
  await prepared;
  call.start();
  await call.stayQuiet(20);
  assert.notEqual(call.frames[0], undefined);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt), /Welcome to Parley/);
  await call.say("stop", 400);
  await call.letAgentFinish();
  assert.equal(call.transcript.at(-1), "agent: Yes?");
  assert.equal(call.items[0]?.type === "message" && call.items[0].interrupted, true);
});
