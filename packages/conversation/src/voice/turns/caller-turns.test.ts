import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../../testing/call-driver.ts";

test("the time of a turn is accounted for part by part", async () => {
  const call = new CallDriver({
    // Less than the text takes: the reply is asked for when the turn is over, not before.
    endpointing: 60,
    replies: [
      [
        { type: "delay", delayMs: 300 },
        { type: "text", text: "We are open, " },
        { type: "delay", delayMs: 50 },
        { type: "text", text: "as you like." },
      ],
    ],
  });
  call.start();
  await call.say("are you open", 1000);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.equal(latency?.endpointingMs, 60);
  // The media clock goes in ticks, but the decision and the request that it made are one moment.
  assert.equal(latency.llmFirstTokenMs, 300);
  assert.equal(latency.clauseMs, 0);
  assert.equal(latency.ttsFirstByteMs, 60);
  assert.ok(latency.decisionMs >= 60 && latency.decisionMs <= 260);
  const overheadMs = latency.totalMs - latency.decisionMs - latency.llmFirstTokenMs - 60;
  assert.ok(overheadMs >= 0 && overheadMs <= 20, `${overheadMs} ms`);
});

test("an answer is made while it is still waited whether the caller has finished", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 300 },
        { type: "text", text: "Until six." },
      ],
    ],
  });
  call.start();
  await call.say("how long are you open", 1000);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.ok(latency !== undefined && latency.totalMs <= latency.decisionMs + 20, `${latency?.totalMs} ms`);
  assert.deepEqual(call.transcript, ["user: how long are you open", "agent: Until six."]);
  assert.deepEqual(
    call.dialogue.history.map(({ text }) => text),
    ["how long are you open", "Until six."],
  );
});

test("an answer to what was not the end of the turn leaves no trace, and none of its tools is called", async () => {
  let toolCalls = 0;
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "I will book it. " },
        { type: "toolCall", toolName: "book", input: {} },
      ],
      [{ type: "toolCall", toolName: "book", input: {} }],
      "A table and a taxi are booked.",
    ],
    dialogue: {
      tools: [
        {
          name: "book",
          description: "Books.",
          inputSchema: { type: "object" },
          execute: () => Promise.resolve(`booking ${++toolCalls}`),
        },
      ],
    },
  });
  call.start();
  await call.say("book a table", 800);
  await call.stayQuiet(500);
  assert.equal(call.model.requests.length, 1);
  await call.say("a taxi too", 600);
  await call.letAgentFinish();
  assert.equal(toolCalls, 1);
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
  assert.deepEqual(call.transcript, [
    "user: book a table a taxi too",
    "tool_call: {}",
    "tool_result: booking 1",
    "agent: A table and a taxi are booked.",
  ]);
  const prompt = JSON.stringify(call.model.requests[2]?.prompt);
  assert.equal(prompt.split("book a table").length, 2, "the caller's words stand in the prompt once");
});

test("noise without words makes no turn", async () => {
  const call = new CallDriver({ replies: ["Never said."] });
  call.start();
  await call.makeNoise(600);
  await call.stayQuiet(3000);
  assert.deepEqual(call.transcript, []);
  assert.equal(call.model.requests.length, 0);
});

test("speech resuming within the pause belongs to the same turn", async () => {
  const call = new CallDriver({ replies: ["Noted."] });
  call.start();
  await call.say("my number is", 900);
  await call.stayQuiet(460);
  await call.say("five five two", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: my number is five five two", "agent: Noted."]);
  assert.equal(call.model.requests.length, 1);
});

test("an utterance starts with the audio from before it was noticed", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.start();
  await call.stayQuiet(2000);
  await call.say("hello", 500);
  assert.ok((call.stt.streams[0]?.leadsMs[0] ?? 0) >= 300);
});

test("the text is asked for in the pause, so that it is there when the turn ends", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.stt.delayMs = 300;
  call.start();
  await call.say("hello", 500);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.ok(latency !== undefined && latency.decisionMs < 640);
});

test("a caller who goes on speaking before the answer is heard is answered once, with everything said", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 2000 },
        { type: "text", text: "Too early." },
      ],
      "Both then.",
    ],
  });
  call.start();
  await call.say("a table", 700);
  await call.waitUntil(() => call.state === "thinking");
  await call.say("and a taxi", 700);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: a table", "user: and a taxi", "agent: Both then."]);
});

test("a cough while the agent thinks does not cost the caller the answer", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 2000 },
        { type: "text", text: "Too early." },
      ],
      "A table for two.",
    ],
  });
  call.start();
  await call.say("a table", 700);
  await call.waitUntil(() => call.state === "thinking");
  await call.makeNoise(300);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: a table", "agent: A table for two."]);
});
