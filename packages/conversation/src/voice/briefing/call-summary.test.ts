import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedLanguageModel, type ModelScript } from "../../testing/scripted-language-model.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { TranscriptEntry } from "../../transcript.ts";
import { SUMMARY_DEADLINE_MS, summarizeCall } from "./call-summary.ts";

const history: TranscriptEntry[] = [
  { type: "message", role: "agent", text: "Hello." },
  { type: "message", role: "user", text: "I want to return\na lamp" },
  { type: "tool_call", toolCallId: "1", toolName: "transfer_call", text: "{}" },
];
const LAST_WORDS = "The caller's last words were: I want to return\na lamp.";

async function summarize(script: ModelScript | undefined, { prompt = "", entries = history } = {}) {
  const clock = new FakeClock();
  const model = new ScriptedLanguageModel(script === undefined ? [] : [script], { timers: clock });
  const { signal } = new AbortController();
  const models = script === undefined ? [] : [model];
  const summarizing = summarizeCall(entries, { models, prompt, language: "de", signal, timers: clock });
  const english = summarizeCall(entries, { models: [], prompt, language: "en", signal, timers: clock });
  await clock.advance(SUMMARY_DEADLINE_MS);
  return { summary: await summarizing, withoutModel: await english, requests: model.requests };
}

test("the model summarizes the conversation by the agent's prompt, in its language", async () => {
  const { summary, requests } = await summarize("Eine Lampe geht zurück.", { prompt: "Name the product." });
  assert.equal(summary, "Eine Lampe geht zurück.");
  const [system, user] = requests[0]?.prompt ?? [];
  assert.match(JSON.stringify(system), /Name the product\..*German/s);
  assert.match(JSON.stringify(user), /Agent: Hello\.\\nCaller: I want to return a lamp"/);
});

test("without a model, after its deadline or an error, the caller's last words are the summary", async () => {
  assert.equal((await summarize(undefined)).withoutModel, LAST_WORDS);
  for (const script of [[{ type: "stall" }], [{ type: "error", error: new Error("down") }], ""] as const)
    assert.match((await summarize(script)).summary, /letzten Worte.*lamp\.$/s);
  assert.equal((await summarize(undefined, { entries: [] })).withoutModel, "");
});

test("a summary without an end is cut at a sentence", async () => {
  const { summary } = await summarize("They talk a lot. ".repeat(500));
  assert.ok(summary.length <= 600 && summary.endsWith("lot."), summary);
});
