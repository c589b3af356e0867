import assert from "node:assert/strict";
import { test } from "node:test";
import { toChatHistory } from "./chat-history.ts";
import { toFunctions } from "./tool-functions.ts";

test("a tool's result is part of the call that it answers, with the following text in the same response", () => {
  const history = toChatHistory([
    { role: "user", content: [{ type: "text", text: "When is the next train?" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool-call", toolCallId: "1", toolName: "next_train", input: { to: "Leeds" } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "next_train",
          output: { type: "text", value: "10:15" },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "At a quarter past ten." }] },
  ]);
  assert.deepEqual(history, [
    { type: "user", text: "When is the next train?" },
    {
      type: "model",
      response: [
        "Let me look.",
        { type: "functionCall", name: "next_train", params: { to: "Leeds" }, result: "10:15" },
        "At a quarter past ten.",
      ],
    },
  ]);
});

test("a tool's schema is reduced to what a grammar can enforce", () => {
  const tool = {
    type: "function" as const,
    name: "book",
    description: "Books a table",
    inputSchema: {
      type: "object" as const,
      properties: {
        people: { type: "integer" as const, minimum: 1 },
        area: { enum: ["inside", "terrace"] },
        notes: { type: "array" as const, items: { type: "string" as const, maxLength: 9 } },
        at: { anyOf: [{ type: "string" as const }, { type: "number" as const }] },
      },
      additionalProperties: false,
    },
  };
  assert.deepEqual(toFunctions({ prompt: [], tools: [tool] }), {
    book: {
      description: "Books a table",
      params: {
        type: "object",
        properties: {
          people: { type: "integer" },
          area: { enum: ["inside", "terrace"] },
          notes: { type: "array", items: { type: "string" } },
          at: { type: "string" },
        },
      },
    },
  });
  assert.equal(toFunctions({ prompt: [], tools: [tool], toolChoice: { type: "none" } }), undefined);
});
