import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { callWithLongAnswer, LONG_ANSWER } from "../testing/long-answer.ts";
import { turnStep } from "./turns/turn-policy.ts";
import { initialTurnState } from "./turns/turn-state.ts";

test("the agent greets, answers a question and then stays silent", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley. How can I help?" },
    replies: ["We are open from nine to five. Anything else?"],
  });
  call.start();
  await call.letAgentFinish();
  await call.stayQuiet(400);
  await call.say("when are you open", 1200);
  await call.letAgentFinish();
  await call.stayQuiet(1000);
  assert.deepEqual(call.transcript, [
    "agent: Hello, this is Parley. How can I help?",
    "user: when are you open",
    "agent: We are open from nine to five. Anything else?",
  ]);
  assert.equal(call.isSpeaking, false);
});

test("the agent counts as speaking only while it is audible", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "One moment please. " },
        { type: "text", text: "I " },
        { type: "delay", delayMs: 3000 },
        { type: "text", text: "have found it." },
      ],
    ],
  });
  call.start();
  await call.say("find it", 700);
  await call.letAgentFinish();
  const states = call.events.flatMap((event) => (event.type === "state" ? [event.state] : []));
  assert.deepEqual(states, ["thinking", "speaking", "thinking", "speaking", "listening"]);
});

test("synthesis is paused when it is ten seconds ahead", async () => {
  const call = new CallDriver({ agent: { firstMessage: `${LONG_ANSWER} ${LONG_ANSWER} ${LONG_ANSWER}` } });
  call.tts.chunkIntervalMs = 1;
  call.start();
  await call.waitUntil(() => call.tts.streams[0]?.isPaused === true, 5000);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, [`agent: ${LONG_ANSWER} ${LONG_ANSWER} ${LONG_ANSWER}`]);
});

test("a recorded log of events replays to the same decisions", async () => {
  const call = await callWithLongAnswer({ agent: { firstMessage: "Hello, this is Parley." } });
  await call.stayQuiet(1200);
  await call.say("stop", 600);
  await call.letAgentFinish();
  await call.waitUntil(() => call.end !== undefined, 60_000);
  let state = initialTurnState(call.conversation.turnSettings);
  for (const { event, effects } of call.decisions) {
    const step = turnStep(state, structuredClone(event));
    assert.deepEqual(step.effects, effects);
    state = step.state;
  }
  assert.equal(state.phase, "ended");
});
