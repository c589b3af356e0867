import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../../testing/call-driver.ts";

test("the latency of a turn is reported by part", async () => {
  const call = new CallDriver({
    // Shorter than the recognizer takes: the reply is requested when the turn is over, not before.
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
  // The media clock advances in ticks; the decision and the request it caused have the same time.
  assert.equal(latency.llmFirstTokenMs, 300);
  assert.equal(latency.clauseMs, 0);
  assert.equal(latency.ttsFirstByteMs, 60);
  assert.ok(latency.decisionMs >= 60 && latency.decisionMs <= 260);
  const overheadMs = latency.totalMs - latency.decisionMs - latency.llmFirstTokenMs - 60;
  assert.ok(overheadMs >= 0 && overheadMs <= 20, `${overheadMs} ms`);
});

test("the parts of a turn's latency account for its total, however late the text, the model and its first clause are", async () => {
  const slow = [
    { type: "delay", delayMs: 400 },
    { type: "text", text: "We are open " },
    { type: "delay", delayMs: 3000 },
    { type: "text", text: "until six." },
  ] as const;
  for (const endpointing of [60, 600]) {
    const call = new CallDriver({ endpointing, replies: [[...slow]] });
    call.start();
    await call.say("are you open", 1000);
    await call.letAgentFinish();
    const latency = call.events.find((event) => event.type === "turn")?.latency;
    assert.ok(latency !== undefined && latency.clauseMs >= 2000, JSON.stringify(latency));
    const { endpointingMs, textWaitMs, llmFirstTokenMs, clauseMs, ttsFirstByteMs, totalMs } = latency;
    const overheadMs = totalMs - endpointingMs - textWaitMs - llmFirstTokenMs - clauseMs - ttsFirstByteMs;
    assert.ok(overheadMs >= 0 && overheadMs <= 40, `${overheadMs} of ${JSON.stringify(latency)}`);
  }
});

test("quotation marks without a partner are in neither side's words", async () => {
  const call = new CallDriver({ replies: ['"We are open until six. Please come by.'] });
  call.start();
  await call.say('"Are you open?', 1000);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: Are you open?", "agent: We are open until six. Please come by."]);
});

test("an answer is prepared while the end of the turn is still awaited", async () => {
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

test("an answer prepared for an unfinished turn leaves no trace, and calls no tool", async () => {
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

test("speech that resumes within the pause belongs to the same turn", async () => {
  const call = new CallDriver({ replies: ["Noted."] });
  call.start();
  await call.say("my number is", 900);
  await call.stayQuiet(460);
  await call.say("five five two", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: my number is five five two", "agent: Noted."]);
  assert.equal(call.model.requests.length, 1);
});

test("an utterance includes the audio from before its detection", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.start();
  await call.stayQuiet(2000);
  await call.say("hello", 500);
  assert.ok((call.stt.streams[0]?.leadsMs[0] ?? 0) >= 300);
});

test("the text is requested in the pause, so that it is there when the turn ends", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.stt.delayMs = 300;
  call.start();
  await call.say("hello", 500);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.ok(latency !== undefined && latency.decisionMs < 640);
});

test("a caller who continues before the answer is audible gets one answer to everything", async () => {
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

test("a cough while the agent thinks does not cancel the answer", async () => {
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
