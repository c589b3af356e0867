import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver, type CallDriverOptions } from "../../testing/call-driver.ts";

const LONG = "Press one for the kitchen, two for the bar, three for the garden, or stay on the line for us.";

function started(options: CallDriverOptions): CallDriver {
  const call = new CallDriver(options);
  call.start();
  return call;
}

async function press(call: CallDriver, digits: string, everyMs = 400): Promise<void> {
  for (const digit of digits) {
    call.conversation.dtmf(digit);
    await call.stayQuiet(everyMs);
  }
}

test("consecutive keys are one input, answered two seconds after the last key", async () => {
  const call = started({ replies: ["Thank you."] });
  await call.stayQuiet(500);
  await press(call, "4711", 1500);
  const lastMs = call.nowMs - 1500;
  assert.deepEqual(call.transcript, []);
  await call.waitUntil(() => call.transcript.length > 0);
  assert.ok(Math.abs(call.nowMs - lastMs - 2000) <= 40, `${call.nowMs - lastMs} ms`);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["dtmf: 4711", "agent: Thank you."]);
  const [keys] = call.items;
  assert.ok(keys?.type === "dtmf" && keys.direction === "received");
  assert.ok(Math.abs(keys.endMs - keys.startMs - 4500) <= 40, `${keys.endMs - keys.startMs} ms`);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt), /pressed 4711/);
});

test("a hash completes the input", async () => {
  const call = started({ replies: ["Thank you."] });
  await press(call, "12#", 200);
  assert.deepEqual(call.transcript, ["dtmf: 12#"]);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["dtmf: 12#", "agent: Thank you."]);
});

test("a key stops the agent's speech; the keys are answered when the input is complete", async () => {
  const call = started({ agent: { firstMessage: LONG }, replies: ["The bar, please wait."] });
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(1000);
  call.conversation.dtmf("2");
  await call.stayQuiet(100);
  assert.ok(!call.isSpeaking);
  await call.letAgentFinish();
  assert.match(call.transcript[0] ?? "", /^agent: Press one/);
  assert.notEqual(call.transcript[0], `agent: ${LONG}`);
  assert.deepEqual(call.transcript.slice(1), ["dtmf: 2", "agent: The bar, please wait."]);
});

test("an uninterruptible agent finishes its speech before it answers keys", async () => {
  const agent = { firstMessage: LONG, disableInterruptions: true };
  const call = started({ agent, replies: ["The bar, please wait."] });
  await call.waitUntil(() => call.isSpeaking);
  await press(call, "2#");
  assert.ok(call.isSpeaking);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: The bar, please wait.");
  assert.deepEqual(call.transcript, ["dtmf: 2#", `agent: ${LONG}`, "agent: The bar, please wait."]);
});

test("a caller who presses keys and speaks gets one answer to both", async () => {
  const call = started({ replies: ["Got both."] });
  call.conversation.dtmf("5");
  await call.say("that is my choice", 900);
  call.conversation.dtmf("6");
  await call.letAgentFinish();
  await call.stayQuiet(3000);
  assert.deepEqual(call.transcript, ["dtmf: 56", "user: that is my choice", "agent: Got both."]);
});

test("keys without an answer when the caller hangs up are in the transcript", async () => {
  const call = started({});
  await press(call, "99", 100);
  call.conversation.end("user_hangup");
  assert.deepEqual(call.transcript, ["dtmf: 99"]);
  assert.equal(call.end?.endReason, "user_hangup");
});

test("no reminder comes while the caller presses keys", async () => {
  const call = started({ agent: { turnTimeoutSeconds: 1 }, replies: ["Thank you.", "Are you still there?"] });
  await press(call, "123456", 1400);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["dtmf: 123456", "agent: Thank you."]);
});

test("an endless key input is cut into inputs of 64 keys", async () => {
  const call = started({ replies: ["Enough.", "Enough."] });
  await press(call, "7".repeat(70), 20);
  assert.deepEqual(call.transcript, [`dtmf: ${"7".repeat(64)}`]);
});

test("keys of the caller are in the transcript and reach the model", async () => {
  const call = new CallDriver({ replies: ["You pressed five."] });
  call.start();
  call.conversation.dtmf("5");
  await call.say("what did I press", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["dtmf: 5", "user: what did I press", "agent: You pressed five."]);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt), /pressed 5/);
});
