import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { formatTurnDecision, formatTurnSettings, replayTurnLog } from "./turns/turn-log.ts";
import { callWithLongAnswer, LONG_ANSWER } from "../testing/long-answer.ts";

test("silence on both sides ends the call, counted from the last speech of either side", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley.", silenceEndCallTimeoutSeconds: 5 },
  });
  call.start();
  await call.letAgentFinish();
  const quietFromMs = call.nowMs;
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "silence_timeout");
  assert.ok(Math.abs(call.nowMs - quietFromMs - 5000) <= 60);
});

test("the agent speaks again to a silent caller, and the call still ends by silence", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "How can I help?", turnTimeoutSeconds: 4, silenceEndCallTimeoutSeconds: 10 },
    replies: ["Are you still there?", "Hello?"],
  });
  call.start();
  await call.letAgentFinish();
  const quietFromMs = call.nowMs;
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.transcript, [
    "agent: How can I help?",
    "agent: Are you still there?",
    "agent: Hello?",
  ]);
  assert.equal(call.end?.endReason, "silence_timeout");
  assert.ok(Math.abs(call.nowMs - quietFromMs - 10_000) <= 800, `${call.nowMs - quietFromMs} ms`);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt.at(-1)), /said nothing/);
  assert.ok(call.dialogue.history.every((entry) => entry.type === "message"));
});

test("an agent with a reminder of its own says it word for word, without its model", async () => {
  const call = new CallDriver({
    agent: {
      firstMessage: "How can I help?",
      turnTimeoutSeconds: 4,
      silenceEndCallTimeoutSeconds: 10,
      phrases: { reminder: "Is anybody there?" },
    },
    replies: [],
  });
  call.start();
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.transcript.slice(0, 2), ["agent: How can I help?", "agent: Is anybody there?"]);
  assert.equal(call.model.requests.length, 0);
});

test("a call ends at its maximum duration, even within a word", async () => {
  const call = new CallDriver({
    agent: { firstMessage: LONG_ANSWER, maxConversationDurationSeconds: 3 },
  });
  call.start();
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "max_duration");
  assert.equal(call.nowMs, 3000);
  const [item] = call.items;
  assert.ok(item?.type === "message" && item.text !== "" && item.interrupted === undefined);
  assert.equal(call.conversation.nextFrame(), undefined);
});

test("time on hold counts toward the maximum duration, on hold and after it", async () => {
  for (const heldMs of [2000, 60_000]) {
    const call = new CallDriver({ agent: { maxConversationDurationSeconds: 10 } });
    call.start();
    await call.stayQuiet(3000);
    await call.hold(heldMs);
    const onHold = call.end?.endReason;
    await call.waitUntil(() => call.end !== undefined);
    assert.deepEqual(
      [onHold, call.end?.endReason],
      [heldMs > 7000 ? "max_duration" : undefined, "max_duration"],
    );
    assert.ok(Math.abs(call.heldMs + call.nowMs - 10_000) <= 20, `${call.heldMs} + ${call.nowMs} ms`);
    const log = [formatTurnSettings(call.conversation.turnSettings)];
    for (const { event, effects } of call.decisions) log.push(formatTurnDecision(event, effects));
    for (const { recorded } of replayTurnLog(log)) assert.equal(recorded, undefined);
  }
});

test("time before the conversation begins does not count toward the maximum duration", async () => {
  const call = new CallDriver({ agent: { maxConversationDurationSeconds: 5 } });
  await call.hold(20_000);
  call.start();
  await call.stayQuiet(4000);
  assert.equal(call.end, undefined);
});

test("a message that the API cuts off is not interrupted by the caller", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  call.conversation.end("api_hangup");
  const last = call.items.at(-1);
  assert.ok(last?.type === "message" && last.role === "agent" && last.interrupted === undefined);
});

test("end_call hangs up once the words before it have been heard", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Thank you for calling. Goodbye!" },
        { type: "toolCall", toolName: "end_call", input: {} },
      ],
    ],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "agent_hangup");
  assert.equal(call.transcript.at(-1), "agent: Thank you for calling. Goodbye!");
  const heardFrames = call.frames.filter((frame) => frame !== undefined).length;
  assert.ok(heardFrames * 20 >= call.tts.durationMs("Thank you for calling.Goodbye!"));
});

test("end_call speaks the farewell that the model gives", async () => {
  const call = new CallDriver({
    replies: [[{ type: "toolCall", toolName: "end_call", input: { farewell: "Bye bye." } }]],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.transcript, ["user: that is all", "agent: Bye bye."]);
  assert.equal(call.end?.endReason, "agent_hangup");
});

test("a caller who interrupts the farewell continues the call", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Thank you for calling, have a very nice day. Goodbye!" },
        { type: "toolCall", toolName: "end_call", input: {} },
      ],
      "One more thing then.",
    ],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("wait, one more thing", 900);
  await call.letAgentFinish();
  await call.stayQuiet(1000);
  assert.equal(call.end, undefined);
  assert.equal(call.transcript.at(-1), "agent: One more thing then.");
});

test("the owner ends the call once, and the agent's message is kept as far as it was heard", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  call.conversation.end("user_hangup");
  const last = call.items.at(-1);
  assert.ok(last?.type === "message" && last.interrupted === true);
  call.conversation.end("api_hangup");
  call.conversation.close();
  call.conversation.close();
  await call.stayQuiet(1000);
  assert.equal(call.events.filter((event) => event.type === "ended").length, 1);
  assert.equal(call.events.at(-1)?.type, "ended");
  assert.equal(call.end?.endReason, "user_hangup");
  assert.match(call.transcript.at(-1) ?? "", /^agent: We have many rooms/);
  assert.ok(call.stt.streams.every(({ isClosed }) => isClosed));
  assert.ok(call.tts.streams.every(({ isClosed }) => isClosed));
  assert.equal(call.clock.pendingCount, 0);
});
