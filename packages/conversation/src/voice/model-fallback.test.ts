/** A model that fails in every way it can, with a second one beside it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../providers/provider-error.ts";
import { CallDriver } from "../testing/call-driver.ts";
import type { ModelScript, ModelStep } from "../testing/scripted-language-model.ts";

const FIRST = "We are open from nine. And on Sunday ";
const REST = "we are closed.";
const ANSWER = "We are open from nine to five.";
/** From the end of the caller's speech to the first audio: endpointing and the fake voice. */
const OTHER_MS = 700;

function refusal(status: number, retryAfterMs?: number): ModelStep {
  const about = { provider: "scripted/model", kind: "status" as const, status, message: `status ${status}` };
  const isRetryable = status === 429 || status >= 500;
  return { type: "error", error: new ProviderError({ ...about, isRetryable, retryAfterMs }) };
}

const lost: ModelStep = { type: "error", error: new Error("the connection broke off") };

/** Deadline for the first token while another model can take over. */
const DEADLINE_MS = 2500;

for (const [what, script, withinMs] of [
  ["refuses the key (401)", [refusal(401)], 0],
  ["is at its rate limit (429)", [refusal(429, 1000)], 0],
  ["returns an error (500)", [refusal(500)], 0],
  ["breaks the connection", [lost], 0],
  ["never answers", [{ type: "stall" }], DEADLINE_MS],
] as const) {
  test(`a model that ${what} is replaced in the same turn, within its deadline and 300 ms`, async () => {
    const call = new CallDriver({ replies: [script], fallbackReplies: [ANSWER, ANSWER] });
    call.start();
    await call.say("when are you open", 900);
    const askedAtMs = call.nowMs;
    await call.waitUntil(() => call.isSpeaking, 10_000);
    const waitedMs = call.nowMs - askedAtMs;
    assert.ok(waitedMs <= OTHER_MS + withinMs + 300, `${waitedMs} ms`);
    await call.letAgentFinish();
    assert.equal(call.transcript.at(-1), `agent: ${ANSWER}`);
    const faults = call.events.filter((event) => event.type === "fault");
    assert.deepEqual(
      faults.map(({ part, provider, takenOverBy }) => [part, provider, takenOverBy]),
      [["llm", "scripted/model", "scripted/second"]],
    );
    // It is not asked again in this conversation.
    await call.say("and on Sunday", 900);
    await call.letAgentFinish();
    assert.equal(call.model.requests.length, 1);
    assert.equal(call.end, undefined);
  });
}

for (const [what, step] of [
  ["stalls", { type: "stall" }],
  ["breaks off", lost],
] as const) {
  test(`an answer that ${what} in the middle is continued by the second model, with no word repeated`, async () => {
    const call = new CallDriver({
      replies: [[{ type: "text", text: FIRST }, step]],
      fallbackReplies: [REST],
    });
    call.start();
    await call.say("when are you open", 900);
    await call.letAgentFinish();
    assert.equal(call.transcript.at(-1), `agent: ${FIRST}${REST}`);
    const prompt = JSON.stringify(call.fallbackModel.requests[0]?.prompt);
    assert.match(prompt, /And on Sunday.*Continue it exactly after its last word/);
  });
}

test("an answer that breaks off after a tool call keeps the tool's result and does not call it twice", async () => {
  let calls = 0;
  const tool = {
    name: "look_up",
    description: "Looks up.",
    inputSchema: { type: "object" as const },
    execute: async () => {
      calls += 1;
      return "from nine to five";
    },
  };
  const broken: ModelScript = [{ type: "toolCall", toolName: "look_up", input: {} }, lost];
  const call = new CallDriver({
    replies: [broken],
    fallbackReplies: [ANSWER],
    dialogue: { tools: [tool] },
  });
  call.start();
  await call.say("when are you open", 900);
  await call.letAgentFinish();
  assert.equal(calls, 1);
  assert.equal(call.transcript.at(-1), `agent: ${ANSWER}`);
  assert.match(JSON.stringify(call.fallbackModel.requests[0]?.prompt), /from nine to five/);
});

test("two models that fail end the call, and the last failure is taken over by none", async () => {
  const call = new CallDriver({ replies: [[refusal(401)]], fallbackReplies: [[refusal(401)]] });
  call.start();
  await call.say("when are you open", 900);
  await call.waitUntil(() => call.end !== undefined, 15_000);
  assert.equal(call.end?.endReason, "error_llm");
  const faults = call.events.filter((event) => event.type === "fault" && event.part === "llm");
  assert.equal(faults.length, 2);
  assert.ok(!("takenOverBy" in (faults[1] ?? {})));
});
