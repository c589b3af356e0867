import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { startScriptedOpenAi } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";

const GREETING = "Hello, this is the book shop. How can I help you?";
const QUESTION = "When do you open in the morning?";
const ANSWER = "We open at nine and close at six.";
const VOICE = "dittli/male";
const RUN_DEADLINE_MS = 90_000;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** What a side said (`agent`), or what it heard of the other side (`user`). */
const wordsIn = ({ transcript }: CallDetail, role: "agent" | "user"): string[] =>
  transcript.flatMap((item) => (item.type === "message" && item.role === role ? wordsOf(item.text) : []));

/** The recognizer takes some words for others. */
function assertHeard(heard: readonly string[], spoken: readonly string[]): void {
  const rest = [...heard];
  const same = spoken.filter((word) => {
    const at = rest.indexOf(word);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
  const what = `spoken was "${spoken.join(" ")}", heard "${heard.join(" ")}"`;
  assert.ok(same.length >= spoken.length / 2 && rest.length <= spoken.length / 2, what);
}

test("a voice run: both sides of the call agree, and are recorded", async (context) => {
  const llm = await startScriptedOpenAi({ reply: () => ({ text: ANSWER }) });
  context.after(async () => await llm.close());
  const platform = await Platform.start({
    env: {
      PARLEY_LLM_BASE_URL: `${llm.url}/v1`,
      PARLEY_LLM_MODEL: "scripted",
      PARLEY_LOCAL_VOICE: VOICE,
      PARLEY_LOCAL_RECOGNIZER: "tiny",
      PARLEY_LOCAL_CALLS: "4",
    },
  });
  context.after(async () => await platform.stop());
  const { api } = platform;
  const agent = await api.createAgent({ name: "Ada", firstMessage: GREETING, voiceId: VOICE });
  const suite = await api.createTestSuite({ name: "Opening hours", agentId: agent.id });
  await api.createTestCase(suite.id, {
    name: "Asks for the hours",
    callerLines: [QUESTION],
    assertions: [{ type: "said", text: "We open at nine" }],
  });

  const started = await api.startTestRun(suite.id, {});
  assert.deepEqual([started.status, started.mode], ["queued", "voice"]);
  const run = await waitFor(
    "the end of the run",
    async () => {
      const now = await api.getTestRun(suite.id, started.id);
      return now.status === "completed" && now;
    },
    RUN_DEADLINE_MS,
  );

  const [attempt] = run.attempts;
  assert.equal(attempt?.result, "pass", JSON.stringify(attempt));
  const tester = await api.getCall(attempt?.callId ?? "");
  const called = await api.getCall(attempt?.inboundCallId ?? "");
  assert.deepEqual([tester.direction, called.direction], ["outbound", "inbound"]);
  assert.deepEqual([tester.isTest, called.isTest], [true, true]);
  assert.deepEqual(attempt?.transcript, called.transcript);
  assert.deepEqual(wordsIn(tester, "agent"), wordsOf(QUESTION));
  assert.deepEqual(wordsIn(called, "agent"), wordsOf(`${GREETING} ${ANSWER}`));
  assertHeard(wordsIn(called, "user"), wordsIn(tester, "agent"));
  assertHeard(wordsIn(tester, "user"), wordsIn(called, "agent"));
  for (const { id } of [tester, called]) {
    const url = await waitFor("the recording", async () => (await api.getCall(id)).recordingUrl ?? undefined);
    const recording = await fetch(url);
    assert.equal(recording.status, 200);
    assert.ok((await recording.arrayBuffer()).byteLength > 10_000);
  }
});
