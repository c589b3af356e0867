import assert from "node:assert/strict";
import test from "node:test";
import type { TranscriptEntry } from "../transcript.ts";
import { trimToWindow } from "./context-window.ts";
import { renderPrompt } from "./prompt.ts";

/** A turn of the caller that the agent answers after a tool call. */
const turn = (id: number): TranscriptEntry[] => [
  { type: "message", role: "user", text: `question ${id}` },
  { type: "tool_call", toolCallId: `t${id}`, toolName: "look_up", text: "{}" },
  { type: "tool_result", toolCallId: `t${id}`, toolName: "look_up", text: "x".repeat(300), isError: false },
  { type: "message", role: "agent", text: `answer ${id}` },
];
const entries = Array.from({ length: 100 }, (_, id) => turn(id)).flat();
const prompt = renderPrompt("You answer questions.", entries);

test("a prompt that fits is not changed", () => {
  assert.deepEqual(trimToWindow(prompt, { contextTokens: 1_000_000 }), prompt);
});

test("the oldest turns are removed; the instructions, the latest turns and the results of tool calls stay", () => {
  for (let contextTokens = 500; contextTokens < 40_000; contextTokens += 333) {
    const trimmed = trimToWindow(prompt, { contextTokens });
    assert.deepEqual(trimmed[0], prompt[0]);
    assert.equal(trimmed[1]?.role, "user");
    assert.deepEqual(trimmed.slice(1), prompt.slice(prompt.length - trimmed.length + 1));
    const text = JSON.stringify(trimmed);
    assert.equal(text.split('"tool-call"').length, text.split('"tool-result"').length);
    if (trimmed.length <= 5) continue;
    const tokens = Buffer.byteLength(text) / 3;
    assert.ok(tokens < contextTokens, `${contextTokens}`);
    if (trimmed.length < prompt.length) assert.ok(tokens > contextTokens / 3, `${contextTokens}`);
  }
});

test("the prompts of following turns begin alike, for as many turns as a part of the window holds", () => {
  const starts = Array.from({ length: 100 }, (_, turns) => {
    const soFar = renderPrompt("You answer questions.", entries.slice(0, 4 * (turns + 1)));
    return JSON.stringify(trimToWindow(soFar, { contextTokens: 8_000 })[1]);
  });
  const changes = starts.filter((start, index) => index > 0 && start !== starts[index - 1]).length;
  assert.ok(changes > 2 && changes < 20, `${changes} changes`);
});

test("the definitions of tools take room, too", () => {
  const tools = [
    { type: "function", name: "t", description: "x".repeat(6_000), inputSchema: { type: "object" } },
  ] as const;
  const [without, beside] = [{}, { tools: [...tools] }].map((more) =>
    trimToWindow(prompt, { contextTokens: 8_000, ...more }),
  );
  assert.ok((beside?.length ?? 0) < (without?.length ?? 0));
});

test("the last turn is kept even if it does not fit", () => {
  assert.equal(trimToWindow(prompt, { contextTokens: 1 }).length, 1 + 4);
  const only = renderPrompt("i", [{ type: "message", role: "agent", text: "x".repeat(1_000) }]);
  assert.deepEqual(trimToWindow(only, { contextTokens: 1 }), only);
});
