import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageTool, MESSAGE_TOOL_NAME } from "./message-tool.ts";

const context = { toolCallId: "1", signal: new AbortController().signal };

test("a message is sent without spaces around it, and a failure has the sender's reason", async () => {
  const sent: string[] = [];
  const tool = createMessageTool({ send: async (text) => void sent.push(text) });
  assert.equal(
    await tool.execute({ text: " See https://shop.example " }, context),
    "the message is on its way",
  );
  assert.deepEqual(sent, ["See https://shop.example"]);
  const failing = createMessageTool({ send: async () => await Promise.reject(new Error("has sent STOP")) });
  await assert.rejects(failing.execute({ text: "Hi" }, context), /has sent STOP/);
});

test("no text and too long a text are refused with a reason", async () => {
  const tool = createMessageTool({ send: async () => {} });
  for (const input of [{}, { text: " " }, { text: 1 }, null, { text: "x".repeat(1001) }])
    await assert.rejects(tool.execute(input, context), /text must/);
});

test("the agent can replace the description", () => {
  const send = async (): Promise<void> => {};
  assert.equal(createMessageTool({ send }).name, MESSAGE_TOOL_NAME);
  assert.equal(createMessageTool({ send, rules: "Only on Mondays." }).description, "Only on Mondays.");
});
