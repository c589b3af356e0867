import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { createDoNotCallTool, DO_NOT_CALL_TOOL_NAME } from "./do-not-call-tool.ts";

async function askNotToBeCalled(add: () => Promise<void>): Promise<CallDriver> {
  const call = new CallDriver({
    replies: [
      [{ type: "toolCall", toolName: DO_NOT_CALL_TOOL_NAME, input: { phoneNumber: "+14155550100" } }],
      "We will not call you again.",
    ],
    dialogue: { tools: [createDoNotCallTool(add)] },
  });
  call.start();
  await call.say("never call me again", 900);
  await call.letAgentFinish();
  return call;
}

test("the number of the call is put on the list, and no other that the model names", async () => {
  const added: unknown[][] = [];
  const call = await askNotToBeCalled(async (...args: unknown[]) => {
    added.push(args);
    await Promise.resolve();
  });
  assert.deepEqual(added, [[]]);
  assert.match(call.transcript.join("\n"), /tool_result: The number is on the do-not-call list/);
  assert.equal(call.transcript.at(-1), "agent: We will not call you again.");
});

test("the model learns that the number could not be added", async () => {
  const call = await askNotToBeCalled(async () => await Promise.reject(new Error("the list is away")));
  const result = call.items.find(({ type }) => type === "tool_result");
  assert.deepEqual(result?.type === "tool_result" && [result.isError, result.text], [
    true,
    "the list is away",
  ]);
});
