import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../providers/provider-error.ts";
import { CallDriver } from "../testing/call-driver.ts";
import type { FakeFlushAnswer } from "../testing/fake-speech-to-text.ts";
import type { FakeSynthesis } from "../testing/fake-text-to-speech.ts";
import { seededRandom } from "@parley/testing";
import type { ModelScript, ModelStep } from "../testing/scripted-language-model.ts";

/** Maximum thinking time: both deadlines of the model, a retry and a tool that hangs. */
const MAX_THOUGHT_MS = 60_000;

const OVERLOADED = new ProviderError({
  provider: "scripted/model",
  kind: "status",
  status: 503,
  message: "overloaded",
  isRetryable: true,
});

function pick<T>(random: () => number, choices: readonly T[]): T {
  const choice = choices[Math.floor(random() * choices.length)];
  assert.ok(choice !== undefined);
  return choice;
}

function randomReply(random: () => number): ModelScript {
  const steps: ModelStep[] = [];
  for (let i = 0; i < 3; i++) {
    steps.push(
      pick<ModelStep>(random, [
        { type: "text", text: "One moment, please, I am having a look. " },
        { type: "text", text: "It costs $3.50, or so! 🎉 **Really.** " },
        { type: "text", text: "Yes" },
        { type: "delay", delayMs: random() * 3000 },
        {
          type: "toolCall",
          toolName: pick(random, ["look_up", "hang", "later", "unknown"]),
          input: { of: i },
        },
        ...(random() < 0.2 ? [{ type: "stall" as const }] : []),
        ...(random() < 0.2 ? [{ type: "error" as const, error: OVERLOADED }] : []),
        ...(random() < 0.1 ? [{ type: "toolCall" as const, toolName: "end_call", input: {} }] : []),
      ]),
    );
  }
  return steps;
}

function randomCall(random: () => number): CallDriver {
  const tool = { description: "A tool.", inputSchema: { type: "object" as const } };
  const call = new CallDriver({
    agent: {
      firstMessage: random() < 0.5 ? "Hello, how can I help you today?" : "",
      firstMessageDelayMs: random() < 0.3 ? 700 : 0,
      startSpeaker: random() < 0.8 ? "agent" : "user",
      disableInterruptions: random() < 0.2,
      silenceEndCallTimeoutSeconds: 12,
      maxConversationDurationSeconds: 120,
      ...(random() < 0.4 && { voicemail: { message: random() < 0.6 ? "Please call us back." : "" } }),
    },
    hasFallback: random() < 0.5,
    replies: Array.from({ length: 60 }, () => randomReply(random)),
    dialogue: {
      tools: [
        { ...tool, name: "look_up", execute: () => Promise.resolve({ found: true }) },
        { ...tool, name: "hang", execute: () => new Promise(() => {}) },
        { ...tool, name: "later", isAsync: true, execute: () => Promise.resolve("found") },
      ],
    },
  });
  const faults: FakeSynthesis[] = ["fail", "stall", "failForGood", "failAfterAudio", "stallAfterAudio"];
  const misses: FakeFlushAnswer[] = ["stall", "fail", "failForGood"];
  for (let i = 0; i < 30; i++) {
    call.tts.behaviors.push(random() < 0.1 ? pick(random, faults) : "ok");
    call.fallback.behaviors.push(random() < 0.1 ? pick(random, faults) : "ok");
    call.stt.answers.push(random() < 0.1 ? pick(random, misses) : "text");
  }
  call.tts.sendsWordTimings = random() < 0.5;
  call.stt.delayMs = random() * 900;
  return call;
}

async function talk(call: CallDriver, random: () => number): Promise<void> {
  const durationMs = 40 + random() * 1500;
  if (random() < 0.5) await call.say(pick(random, ["yes", "what does it cost", "my number is"]), durationMs);
  else if (random() < 0.3) await call.makeNoise(durationMs);
  else await call.stayQuiet(durationMs);
  if (random() < 0.05) call.conversation.dtmf("5");
}

/** The longest period of the call in which the agent owed speech and was silent. */
function longestThoughtMs(call: CallDriver): number {
  let longestMs = 0;
  let since: number | undefined;
  for (const { state, atMs } of call.states) {
    if (since !== undefined) longestMs = Math.max(longestMs, atMs - since);
    since = state === "thinking" ? atMs : undefined;
  }
  return since === undefined ? longestMs : Math.max(longestMs, call.nowMs - since);
}

for (let seed = 1; seed <= 40; seed++) {
  test(`no combination of caller and providers blocks a call, which ends once (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const call = randomCall(random);
    if (random() < 0.5) await call.conversation.prepare(AbortSignal.abort());
    call.start();
    while (call.end === undefined && call.nowMs < 60_000) await talk(call, random);
    await call.waitUntil(() => call.end !== undefined, 130_000);
    await call.stayQuiet(25_000);

    assert.equal(call.events.filter(({ type }) => type === "ended").length, 1);
    assert.equal(call.events.at(-1)?.type, "ended");
    assert.notEqual(call.end?.endReason, "error_internal", call.end?.endDetail);
    assert.ok(longestThoughtMs(call) < MAX_THOUGHT_MS, `${longestThoughtMs(call)} ms of thinking`);
    assert.equal(call.clock.pendingCount, 0);
    const calls = call.dialogue.history.flatMap((entry) =>
      entry.type === "tool_call" ? [entry.toolCallId] : [],
    );
    const results = call.dialogue.history.flatMap((entry) =>
      entry.type === "tool_result" ? [entry.toolCallId] : [],
    );
    assert.deepEqual(calls.toSorted(), results.toSorted());
    assert.deepEqual(
      call.items.map(({ text }) => text).toSorted(),
      call.dialogue.history.map(({ text }) => text).toSorted(),
    );
    for (const { startMs, endMs } of call.items) assert.ok(startMs >= 0 && endMs >= startMs);
  });
}
