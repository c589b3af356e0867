import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../providers/provider-error.ts";
import { CallDriver } from "../testing/call-driver.ts";
import type { FakeFlushAnswer } from "../testing/fake-speech-to-text.ts";
import type { FakeSynthesis } from "../testing/fake-text-to-speech.ts";
import type { ModelScript } from "../testing/scripted-language-model.ts";

const APOLOGY = "agent: I'm sorry, I'm having technical difficulties. Please try again later. Goodbye.";
const ANSWER = "We are open from nine to five, every day of the week.";

interface Failure {
  name: string;
  replies?: readonly ModelScript[];
  tts?: FakeSynthesis[];
  stt?: FakeFlushAnswer[];
  /** Last line of the transcript. */
  lastLine: string | RegExp;
  /** Reason of the call's end; `undefined` if the call continues. */
  endReason?: string;
  /** Maximum time until the caller hears an answer or the call ends. */
  withinMs: number;
}

function modelError(isRetryable: boolean): ModelScript {
  const options = { provider: "scripted/model", kind: "status" as const, status: 500, message: "overloaded" };
  return [{ type: "error", error: new ProviderError({ ...options, isRetryable }) }];
}

const failures: Failure[] = [
  {
    name: "a model that fails once is asked again",
    replies: [modelError(true), ANSWER],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 2000,
  },
  {
    name: "a model that refuses for good ends the call with an apology",
    replies: [modelError(false)],
    lastLine: APOLOGY,
    endReason: "error_llm",
    withinMs: 9000,
  },
  {
    name: "a model that stalls before its first token is asked again",
    replies: [[{ type: "stall" }], ANSWER],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 10_000,
  },
  {
    name: "a model that stalls twice before its first token ends the call with an apology",
    replies: [[{ type: "stall" }], [{ type: "stall" }]],
    lastLine: APOLOGY,
    endReason: "error_llm",
    withinMs: 25_000,
  },
  {
    name: "a model that only thinks does not keep the caller waiting for ever",
    replies: Array.from({ length: 2 }, () =>
      Array.from({ length: 60 }, () => [
        { type: "reasoning" as const, text: "hm" },
        { type: "delay" as const, delayMs: 1000 },
      ]).flat(),
    ),
    lastLine: APOLOGY,
    endReason: "error_llm",
    withinMs: 25_000,
  },
  {
    name: "a model that stalls in the middle ends the call after what it had said",
    replies: [[{ type: "text", text: "We are open from nine. But " }, { type: "stall" }]],
    lastLine: APOLOGY,
    endReason: "error_llm",
    withinMs: 16_000,
  },
  {
    name: "a model whose stream breaks in the middle ends the call after what it had said",
    replies: [
      [
        { type: "text", text: "We are open from nine. But " },
        { type: "error", error: new Error("reset") },
      ],
    ],
    lastLine: APOLOGY,
    endReason: "error_llm",
    withinMs: 12_000,
  },
  {
    name: "a voice that fails before its first audio is tried again",
    tts: ["fail"],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 2000,
  },
  {
    name: "a voice that stalls before its first audio is tried again",
    tts: ["stall"],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 6000,
  },
  {
    name: "a voice that refuses for good ends the call",
    tts: ["failForGood"],
    lastLine: "user: when are you open",
    endReason: "error_tts",
    withinMs: 1500,
  },
  {
    name: "a voice that stalls twice ends the call",
    tts: ["stall", "stall"],
    lastLine: "user: when are you open",
    endReason: "error_tts",
    withinMs: 10_000,
  },
  {
    name: "a voice that breaks off in the middle goes on from there",
    tts: ["failAfterAudio"],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 2000,
  },
  {
    name: "a voice that falls silent in the middle goes on from there",
    tts: ["stallAfterAudio"],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 2000,
  },
  {
    name: "a voice that breaks off twice ends the call after what was heard",
    tts: ["failAfterAudio", "failAfterAudio"],
    lastLine: /^agent: We are/,
    endReason: "error_tts",
    withinMs: 3000,
  },
  {
    name: "a voice that falls silent twice ends the call after what was heard",
    tts: ["stallAfterAudio", "stallAfterAudio"],
    lastLine: /^agent: We are/,
    endReason: "error_tts",
    withinMs: 9000,
  },
  {
    name: "a voice that fails for the apology too ends the call with the first reason",
    replies: [modelError(false)],
    tts: ["ok", "failForGood"],
    lastLine: "user: when are you open",
    endReason: "error_llm",
    withinMs: 2000,
  },
  {
    name: "a recognizer that misses one request is asked again",
    stt: ["stall"],
    lastLine: `agent: ${ANSWER}`,
    withinMs: 7000,
  },
  {
    name: "a recognizer that does not answer ends the call with an apology",
    stt: ["stall", "stall"],
    lastLine: APOLOGY,
    endReason: "error_stt",
    withinMs: 20_000,
  },
  {
    name: "a recognizer that loses its connection is opened again, and the caller asked to repeat",
    stt: ["fail"],
    lastLine: "agent: I'm sorry, could you say that again?",
    withinMs: 2000,
  },
  {
    name: "a recognizer that refuses for good ends the call with an apology",
    stt: ["failForGood"],
    lastLine: APOLOGY,
    endReason: "error_stt",
    withinMs: 9000,
  },
];

for (const { name, replies = [ANSWER], tts = [], stt = [], lastLine, endReason, withinMs } of failures) {
  test(name, async () => {
    const call = new CallDriver({ replies });
    call.tts.behaviors.push(...tts);
    call.stt.answers.push(...stt);
    call.start();
    await call.say("when are you open", 900);
    const isSettled = (): boolean => (endReason === undefined ? call.isSpeaking : call.end !== undefined);
    await call.waitUntil(isSettled, withinMs);
    if (endReason === undefined) await call.letAgentFinish();
    assert.equal(call.end?.endReason, endReason);
    const last = call.transcript.at(-1) ?? "";
    if (typeof lastLine === "string") assert.equal(last, lastLine);
    else assert.match(last, lastLine);
    if (endReason === undefined) return;
    assert.ok(call.end?.endDetail);
    assert.ok(call.events.some((event) => event.type === "fault") || endReason === "error_stt");
    assert.equal(call.clock.pendingCount, 0);
  });
}

test("the caller is understood after the recognizer was reopened", async () => {
  const call = new CallDriver({ replies: [ANSWER] });
  call.stt.answers.push("fail");
  call.start();
  await call.say("when are you open", 900);
  await call.letAgentFinish();
  call.stt.forget();
  await call.say("when are you open", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(1), ["user: when are you open", `agent: ${ANSWER}`]);
});

test("a recognizer that cannot be opened ends the call at its start", async () => {
  const call = new CallDriver({ replies: [ANSWER] });
  await call.conversation.prepare(new AbortController().signal);
  call.stt.streams[0]?.fail(false);
  call.start();
  call.stt.streams[1]?.fail(false);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "error_stt");
});
