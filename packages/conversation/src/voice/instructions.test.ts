import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { SPEAK_NOW } from "../dialogue/prompt.ts";

const TEA = "Offer tea.";
const LONG_ANSWER =
  "We have many rooms, all of them with a bath. Some of them look at the sea. Others look at the park.";

/** The end of the model's prompt in the request with this index. */
function promptOf(call: CallDriver, index: number): { role: string; text: string }[] {
  const { prompt } = call.model.requests.at(index) ?? assert.fail("the model was not asked");
  return prompt
    .map(({ role, content }) => {
      const parts = typeof content === "string" ? [content] : content;
      const text = parts.map((part) => (typeof part === "string" ? part : "text" in part ? part.text : ""));
      return { role, text: text.join(" ") };
    })
    .reverse();
}

async function callWith(replies: readonly string[], firstMessage = ""): Promise<CallDriver> {
  const call = new CallDriver({ replies, agent: { firstMessage } });
  call.start();
  if (firstMessage !== "") await call.letAgentFinish();
  await call.stayQuiet(200);
  return call;
}

test("an instruction that is not to be spoken enters the history, and the agent stays silent", async () => {
  const call = await callWith(["We open at nine, and there is tea."]);
  assert.equal(call.conversation.instruct({ text: TEA, speak: false }), true);
  await call.stayQuiet(3000);
  assert.equal(call.tts.streams.length, 0);
  await call.say("when do you open", 1000);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, [
    "instruction: Offer tea.",
    "user: when do you open",
    "agent: We open at nine, and there is tea.",
  ]);
  const [question, instruction] = promptOf(call, 0);
  assert.deepEqual(question, { role: "user", text: "when do you open" });
  assert.deepEqual(instruction, { role: "system", text: TEA });
});

test("a prepared answer is generated again when an instruction arrives", async () => {
  const call = await callWith(["At nine.", "At nine, and there is tea."]);
  await call.say("when do you open please", 1000);
  await call.waitUntil(() => call.model.requests.length === 1);
  call.conversation.instruct({ text: TEA, speak: false });
  await call.letAgentFinish();
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
  assert.deepEqual(call.transcript.at(-1), "agent: At nine, and there is tea.");
});

test("an instruction to speak is spoken at once if both sides are silent", async () => {
  const call = await callWith(["Would you like some tea?"]);
  call.conversation.instruct({ text: TEA, speak: true });
  const askedAtMs = call.nowMs;
  await call.waitUntil(() => call.isSpeaking);
  assert.ok(call.nowMs - askedAtMs <= 500, `${call.nowMs - askedAtMs} ms`);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["instruction: Offer tea.", "agent: Would you like some tea?"]);
  assert.deepEqual(promptOf(call, 0)[0], { role: "system", text: `${SPEAK_NOW}${TEA}` });
  // The instruction is in the history; the guidance to speak it is not.
  assert.deepEqual(
    call.dialogue.history.map(({ type, text }) => `${type}: ${text}`),
    ["instruction: Offer tea.", "message: Would you like some tea?"],
  );
});

test("an agent that is speaking finishes its sentence and drops the rest", async () => {
  const call = await callWith([LONG_ANSWER, "Would you like some tea?"]);
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  await call.stayQuiet(300);
  call.conversation.instruct({ text: TEA, speak: true });
  await call.letAgentFinish();
  await call.letAgentFinish();
  await call.stayQuiet(3000);
  assert.deepEqual(call.transcript, [
    "user: tell me about the rooms",
    "instruction: Offer tea.",
    "agent: We have many rooms, all of them with a bath.",
    "agent: Would you like some tea?",
  ]);
  assert.ok(call.items[2]?.type === "message" && call.items[2].interrupted === undefined);
  assert.equal(call.isSpeaking, false);
});

test("a sentence that the model is still writing is finished first", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "We have many rooms, and all of them " },
        { type: "delay", delayMs: 900 },
        { type: "text", text: "have a bath. Some of them " },
        { type: "delay", delayMs: 900 },
        { type: "text", text: "look at the sea." },
      ],
      "Would you like some tea?",
    ],
  });
  call.start();
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  call.conversation.instruct({ text: TEA, speak: true });
  await call.waitUntil(() => call.transcript.includes("agent: Would you like some tea?"));
  assert.deepEqual(call.transcript.slice(2), [
    "agent: We have many rooms, and all of them have a bath.",
    "agent: Would you like some tea?",
  ]);
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
});

test("an instruction that arrives while the caller speaks is spoken after the turn, together with its answer", async () => {
  const call = await callWith(["At nine. And would you like some tea?"]);
  call.stt.hearWords("when do you open");
  await call.makeNoise(600);
  call.conversation.instruct({ text: TEA, speak: true });
  await call.makeNoise(600);
  assert.equal(call.model.requests.length, 0);
  await call.letAgentFinish();
  await call.stayQuiet(2000);
  assert.deepEqual(call.transcript, [
    "instruction: Offer tea.",
    "user: when do you open",
    "agent: At nine. And would you like some tea?",
  ]);
  const [guidance] = promptOf(call, 0);
  assert.match(guidance?.text ?? "", /^Answer what was said last/);
  assert.equal(call.events.filter(({ type }) => type === "turn").length, 1);
});

test("several instructions are spoken in order, each to its end", async () => {
  const call = await callWith(["Tea is served. Take a cup.", "The bus leaves at nine.", "Goodbye to all."]);
  for (const text of ["Tea", "Bus", "Bye"]) call.conversation.instruct({ text, speak: true });
  await call.waitUntil(() => call.transcript.length === 6);
  assert.deepEqual(call.transcript, [
    "instruction: Tea",
    "instruction: Bus",
    "instruction: Bye",
    "agent: Tea is served. Take a cup.",
    "agent: The bus leaves at nine.",
    "agent: Goodbye to all.",
  ]);
});

test("an answer that is not audible yet yields to the instruction, which is answered together with it", async () => {
  const call = new CallDriver({
    endpointing: 150,
    replies: [
      [
        { type: "delay", delayMs: 3000 },
        { type: "text", text: "At nine." },
      ],
      "At nine, and there is tea.",
    ],
  });
  call.start();
  await call.say("when do you open", 1000);
  await call.waitUntil(() => call.transcript.includes("user: when do you open"));
  call.conversation.instruct({ text: TEA, speak: true });
  await call.letAgentFinish();
  await call.stayQuiet(4000);
  assert.deepEqual(call.transcript, [
    "user: when do you open",
    "instruction: Offer tea.",
    "agent: At nine, and there is tea.",
  ]);
});

test("a greeting that has not begun is spoken to its end before an instruction", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello there. This call is recorded." },
    replies: ["Would you like some tea?"],
  });
  call.start();
  call.conversation.instruct({ text: TEA, speak: true });
  await call.waitUntil(() => call.transcript.length === 3);
  assert.deepEqual(call.transcript, [
    "instruction: Offer tea.",
    "agent: Hello there. This call is recorded.",
    "agent: Would you like some tea?",
  ]);
});

test("a caller who begins to speak before the instruction is audible can finish", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 600 },
        { type: "text", text: "Would you like some tea?" },
      ],
      "At nine. Would you like some tea?",
    ],
  });
  call.start();
  await call.stayQuiet(200);
  call.conversation.instruct({ text: TEA, speak: true });
  await call.say("when do you open", 1000);
  await call.letAgentFinish();
  await call.stayQuiet(3000);
  assert.deepEqual(call.transcript, [
    "instruction: Offer tea.",
    "user: when do you open",
    "agent: At nine. Would you like some tea?",
  ]);
});

test("an instruction keeps an agent that was about to hang up in the call", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Goodbye then, and have a nice day." },
        { type: "toolCall", toolName: "end_call", input: {} },
      ],
      "One more thing: would you like some tea?",
    ],
  });
  call.start();
  await call.say("bye", 600);
  await call.waitUntil(() => call.isSpeaking);
  call.conversation.instruct({ text: TEA, speak: true });
  await call.waitUntil(() => call.transcript.length === 4);
  await call.stayQuiet(1000);
  assert.equal(call.end, undefined);
});

test("instructions are refused before the conversation begins and once it is ending", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello." } });
  assert.equal(call.conversation.instruct({ text: TEA, speak: true }), false);
  call.start();
  await call.letAgentFinish();
  call.conversation.end("user_hangup");
  assert.equal(call.conversation.instruct({ text: TEA, speak: true }), false);
  assert.deepEqual(call.transcript, ["agent: Hello."]);
});
