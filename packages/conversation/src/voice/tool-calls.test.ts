import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialogueTool } from "../dialogue/tool.ts";
import { CallDriver, type CallDriverOptions } from "../testing/call-driver.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { PhraseBook } from "./speaking/speech-phrases.ts";
import { standardTexts } from "./speaking/speech-texts.ts";

const CALL_LOOK_UP = [{ type: "toolCall", toolName: "look_up", input: {} }] as const;

/** A tool that returns `blue` after a delay on the call's clock. */
function lookUp(delayMs: number, more: Partial<DialogueTool> = {}) {
  const tool = {
    name: "look_up",
    description: "Looks something up.",
    inputSchema: { type: "object" as const },
    signal: undefined as AbortSignal | undefined,
    clock: undefined as FakeClock | undefined,
    execute: (_input: unknown, { signal }: { signal: AbortSignal }): Promise<string> => {
      tool.signal = signal;
      const { promise, resolve } = Promise.withResolvers<string>();
      const cancel = tool.clock?.set(delayMs, () => resolve("blue"));
      signal.addEventListener("abort", () => cancel?.(), { once: true });
      return promise;
    },
    ...more,
  };
  return tool;
}

function callWith(tool: ReturnType<typeof lookUp>, options: CallDriverOptions): CallDriver {
  const call = new CallDriver({ ...options, dialogue: { tools: [tool] } });
  tool.clock = call.clock;
  call.start();
  return call;
}

/** Time until the agent's first word. */
async function firstWordMs(call: CallDriver): Promise<number> {
  const beganMs = call.nowMs;
  await call.waitUntil(() => call.isSpeaking);
  return call.nowMs - beganMs;
}

async function withPhrases(options: CallDriverOptions, toolMs: number): Promise<CallDriver> {
  const phrases = new PhraseBook();
  const call = callWith(lookUp(toolMs), { ...options, phrases });
  await call.stayQuiet(3000);
  return call;
}

for (const [language, phrase] of [
  ["en", "One moment, please."],
  ["de-AT", "Einen Moment, bitte."],
] as const) {
  test(`a tool that takes longer than a second is bridged by a filler phrase, in ${language}`, async () => {
    const call = await withPhrases({ agent: { language }, replies: [CALL_LOOK_UP, "It is blue."] }, 4000);
    await call.say("what colour", 600);
    const waitedMs = await firstWordMs(call);
    assert.ok(waitedMs > 1000 && waitedMs <= 600 + 1000 + 100, `${waitedMs} ms`);
    await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
    const expected = ["user: what colour", "tool_call: {}", `agent: ${phrase}`];
    assert.deepEqual(call.transcript.slice(0, 3), expected);
  });
}

for (const toolMs of [500, 1200]) {
  test(`the wait for a tool of ${toolMs} ms, and for a phrase that bridges it, are parts of the latency`, async () => {
    const call = await withPhrases({ replies: [CALL_LOOK_UP, "It is blue."] }, toolMs);
    await call.say("what colour", 600);
    await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
    const latency = call.events.find((event) => event.type === "turn")?.latency ?? assert.fail("no turn");
    const { endpointingMs, textWaitMs, llmFirstTokenMs, clauseMs, ttsFirstByteMs, waitMs, totalMs } = latency;
    assert.ok(Math.abs(latency.toolMs - toolMs) <= 20, JSON.stringify(latency));
    assert.ok(llmFirstTokenMs < 100, JSON.stringify(latency));
    // The phrase begins after a second.
    assert.equal(waitMs > 0, toolMs > 1000, JSON.stringify(latency));
    const partsMs =
      endpointingMs + textWaitMs + llmFirstTokenMs + latency.toolMs + clauseMs + ttsFirstByteMs + waitMs;
    assert.ok(totalMs - partsMs >= 0 && totalMs - partsMs <= 40, JSON.stringify(latency));
  });
}

test("an agent's own filler phrases are said instead of those of its language", async () => {
  const phrases = { fillers: ["Looking it up."] };
  const call = await withPhrases({ agent: { phrases }, replies: [CALL_LOOK_UP, "It is blue."] }, 4000);
  await call.say("what colour", 600);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
  assert.equal(call.transcript[2], "agent: Looking it up.");
});

test("an answer gets two filler phrases at most, then an honest failure; a late result is reported", async () => {
  const call = await withPhrases({ replies: [CALL_LOOK_UP, "It is blue."] }, 18_000);
  await call.say("what colour", 600);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.", 30_000);
  const { fillers, noAnswer } = standardTexts("en");
  const said = call.items.filter((item) => item.type === "message" && item.role === "agent");
  assert.deepEqual(
    said.map(({ text }) => text),
    [...fillers, noAnswer, "It is blue."],
  );
  const silencesMs = said.slice(1, 3).map(({ startMs }, index) => startMs - (said[index]?.endMs ?? 0));
  assert.deepEqual(
    silencesMs.map((ms) => Math.round(ms / 1000)),
    [4, 6],
  );
  assert.ok(said.every((item) => item.type === "message" && item.interrupted === undefined));
});

test("tools that each return in time but lead to no answer get two filler phrases in all", async () => {
  const call = await withPhrases({ replies: Array.from({ length: 9 }, () => CALL_LOOK_UP) }, 3000);
  await call.say("what colour", 600);
  const { fillers, noAnswer } = standardTexts("en");
  await call.waitUntil(() => call.transcript.includes(`agent: ${noAnswer}`), 40_000);
  const said = call.items.filter((item) => item.type === "message" && item.role === "agent");
  assert.deepEqual(
    said.map(({ text }) => text),
    [...fillers, noAnswer],
  );
  assert.equal(call.end, undefined);
});

test("a tool that returns within a second is not bridged", async () => {
  const call = await withPhrases({ replies: [CALL_LOOK_UP, "It is blue."] }, 700);
  await call.say("what colour", 600);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, [
    "user: what colour",
    "tool_call: {}",
    "tool_result: blue",
    "agent: It is blue.",
  ]);
});

test("words that the model says with the call bridge the first second", async () => {
  const reply = [{ type: "text", text: "Let me see." }, ...CALL_LOOK_UP] as const;
  const call = await withPhrases({ replies: [reply, "It is blue."] }, 1400);
  await call.say("what colour", 600);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
  assert.ok(!call.transcript.includes("agent: One moment, please."));
});

test("a caller who speaks while a tool runs does not stop it: its result is reported later", async () => {
  const tool = lookUp(5000);
  const call = callWith(tool, { replies: [CALL_LOOK_UP, "Still looking.", "It is blue."] });
  await call.say("what colour", 600);
  await call.stayQuiet(1500);
  await call.say("hello", 500);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
  assert.equal(call.model.requests.length, 3);
  assert.deepEqual(call.transcript, [
    "user: what colour",
    "tool_call: {}",
    "user: hello",
    "agent: Still looking.",
    "tool_result: blue",
    "agent: It is blue.",
  ]);
  await call.stayQuiet(3000);
  assert.equal(call.model.requests.length, 3);
});

test("the conversation continues while an asynchronous tool runs", async () => {
  const tool = lookUp(8000, { isAsync: true });
  const call = callWith(tool, { replies: [CALL_LOOK_UP, "I have asked.", "Fine, and you?", "It is blue."] });
  await call.say("what colour", 600);
  await call.letAgentFinish();
  await call.say("how are you", 600);
  await call.letAgentFinish();
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
  assert.deepEqual(call.transcript, [
    "user: what colour",
    "tool_call: {}",
    "agent: I have asked.",
    "user: how are you",
    "agent: Fine, and you?",
    "tool_result: blue",
    "agent: It is blue.",
  ]);
});

test("a result that arrives while the agent speaks is reported afterwards", async () => {
  const tool = lookUp(500, { isAsync: true });
  const call = callWith(tool, { replies: [CALL_LOOK_UP, "I have asked for it, one moment.", "It is blue."] });
  await call.say("what colour", 600);
  await call.waitUntil(() => call.transcript.at(-1) === "agent: It is blue.");
  assert.deepEqual(call.transcript.slice(2), [
    "agent: I have asked for it, one moment.",
    "tool_result: blue",
    "agent: It is blue.",
  ]);
});

test("a result that arrives while the caller speaks is reported with the answer", async () => {
  const tool = lookUp(3000, { isAsync: true });
  const call = callWith(tool, { replies: [CALL_LOOK_UP, "Asked.", "Blue, and it is five."] });
  await call.say("what colour", 600);
  await call.letAgentFinish();
  await call.say("and what time is it over there in the east", 3000);
  await call.letAgentFinish();
  await call.stayQuiet(2000);
  assert.equal(call.model.requests.length, 3);
  assert.deepEqual(call.transcript.slice(-3), [
    "tool_result: blue",
    "user: and what time is it over there in the east",
    "agent: Blue, and it is five.",
  ]);
});

for (const isAsync of [false, true]) {
  test(`the end of the call stops its tools and records it (${isAsync ? "asynchronous" : "awaited"})`, async () => {
    const tool = lookUp(15_000, { isAsync });
    const call = callWith(tool, { replies: [CALL_LOOK_UP, "Asked."] });
    await call.say("what colour", 600);
    await call.stayQuiet(1500);
    call.conversation.end("user_hangup");
    assert.equal(tool.signal?.aborted, true);
    assert.equal(call.events.at(-1)?.type, "ended");
    const last = call.items.at(-1);
    assert.ok(last?.type === "tool_result" && last.isError);
    await call.stayQuiet(100);
    assert.equal(call.clock.pendingCount, 0);
  });
}

test("a tool call is in the transcript while the tool runs, after the words that came with it", async () => {
  const silent = callWith(lookUp(4000), { replies: [CALL_LOOK_UP, "It is blue."] });
  await silent.say("what colour", 600);
  await silent.stayQuiet(1500);
  assert.deepEqual(silent.transcript, ["user: what colour", "tool_call: {}"]);
  const reply = [{ type: "text", text: "Let me see." }, ...CALL_LOOK_UP] as const;
  const speaking = callWith(lookUp(6000), { replies: [reply, "It is blue."] });
  await speaking.say("what colour", 600);
  await speaking.waitUntil(() => speaking.isSpeaking);
  assert.deepEqual(speaking.transcript, ["user: what colour"]);
  await speaking.stayQuiet(3000);
  assert.deepEqual(speaking.transcript, ["user: what colour", "agent: Let me see.", "tool_call: {}"]);
});

test("tool calls stand in the transcript between the words before and after them", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Let me look that up for you." },
        { type: "toolCall", toolName: "opening_hours", input: { day: "Monday" } },
      ],
      "We are open from nine to five.",
    ],
    dialogue: {
      tools: [
        {
          name: "opening_hours",
          description: "Opening hours of a day.",
          inputSchema: { type: "object" },
          execute: () => Promise.resolve({ from: 9, to: 17 }),
        },
      ],
    },
  });
  call.start();
  await call.say("when do you open on Monday", 900);
  await call.letAgentFinish();
  await call.waitUntil(() => call.items.length === 5);
  assert.deepEqual(call.transcript, [
    "user: when do you open on Monday",
    "agent: Let me look that up for you.",
    'tool_call: {"day":"Monday"}',
    'tool_result: {"from":9,"to":17}',
    "agent: We are open from nine to five.",
  ]);
});

test("words that come with a tool call are spoken while the tool runs", async () => {
  const call = callWith(lookUp(60_000), {
    replies: [[...CALL_LOOK_UP, { type: "text", text: "I am looking it up for you." }]],
  });
  await call.say("what does it cost", 900);
  await call.waitUntil(() => call.isSpeaking, 1000);
});
