import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptItem } from "@parley/contract";
import { Dialogue, type DialogueTool } from "@parley/conversation";
import { ScriptedLanguageModel } from "@parley/conversation/testing";
import { replyInText, toEntries } from "./text-conversation.ts";

const { signal } = new AbortController();

const tool = (calls: unknown[]): DialogueTool => ({
  name: "look_up",
  description: "Looks up.",
  inputSchema: { type: "object" },
  execute: async (input) => {
    calls.push(input);
    return "open until six";
  },
});

test("a reply is its tool calls, their results and its text", async () => {
  const calls: unknown[] = [];
  const model = new ScriptedLanguageModel([
    [{ type: "toolCall", toolName: "look_up", input: { day: "Monday" } }],
    "Until six.",
  ]);
  const dialogue = new Dialogue({ model, instructions: "", tools: [tool(calls)] });
  dialogue.record({ type: "message", role: "user", text: "Until when?" });
  const { entries, error } = await replyInText(dialogue, signal);
  assert.equal(error, undefined);
  assert.deepEqual(
    entries.map(({ type, text }) => [type, text]),
    [
      ["tool_call", '{"day":"Monday"}'],
      ["tool_result", "open until six"],
      ["message", "Until six."],
    ],
  );
});

test("after a failure a reply has no text, and what its tools did is not done again", async () => {
  const calls: unknown[] = [];
  const failure = new Error("the model is away");
  const failed = new ScriptedLanguageModel([
    [
      { type: "text", text: "One moment. " },
      { type: "toolCall", toolName: "look_up", input: {} },
    ],
    [{ type: "error", error: failure }],
  ]);
  const first = new Dialogue({ model: failed, instructions: "", tools: [tool(calls)] });
  first.record({ type: "message", role: "user", text: "Until when?" });
  const { entries, error } = await replyInText(first, signal);
  assert.ok(error instanceof Error);
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["tool_call", "tool_result"],
  );
  const model = new ScriptedLanguageModel(["Until six."]);
  const next = new Dialogue({ model, instructions: "", tools: [tool(calls)], transcript: first.history });
  assert.deepEqual((await replyInText(next, signal)).entries, [
    { type: "message", role: "agent", text: "Until six." },
  ]);
  assert.equal(calls.length, 1);
});

test("a stored transcript continues where it ended, without notes for readers", () => {
  const at = { startMs: 0, endMs: 0 };
  const items: TranscriptItem[] = [
    { id: "1", type: "message", role: "user", text: "Hi", ...at },
    { id: "2", type: "tool_call", toolCallId: "c", toolName: "look_up", text: "{}", ...at },
    { id: "3", type: "tool_result", toolCallId: "c", toolName: "look_up", text: "x", isError: true, ...at },
    { id: "4", type: "system", text: "a note", ...at },
    { id: "5", type: "instruction", text: "Be brief.", ...at },
  ];
  assert.deepEqual(toEntries(items), [
    { type: "message", role: "user", text: "Hi" },
    { type: "tool_call", toolCallId: "c", toolName: "look_up", text: "{}" },
    { type: "tool_result", toolCallId: "c", toolName: "look_up", text: "x", isError: true },
    { type: "instruction", text: "Be brief." },
  ]);
});
