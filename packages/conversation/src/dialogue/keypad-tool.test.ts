import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeypadTool, KEYPAD_TOOL_NAME } from "./keypad-tool.ts";

const context = { toolCallId: "1", signal: new AbortController().signal };

async function pressed(input: unknown): Promise<string> {
  let keys = "";
  const tool = createKeypadTool({ press: async (given) => void (keys = given) });
  assert.equal(await tool.execute(input, context), `pressed ${keys}`);
  return keys;
}

test("keys are pressed in any notation that models use", async () => {
  assert.equal(await pressed({ keys: "123#" }), "123#");
  assert.equal(await pressed({ keys: "(555) 12-34, 5W6 a" }), "5551234w5w6A");
  assert.equal(await pressed({ keys: 42 }), "42");
});

test("an invalid key, no key and too many keys are refused with a reason", async () => {
  for (const [input, reason] of [
    [{ keys: "1x" }, /keys are 0-9/],
    [{ keys: " - " }, /at least one/],
    [{}, /must be a string/],
    [null, /must be a string/],
    [{ keys: "1".repeat(33) }, /at most 32/],
  ] as const) {
    await assert.rejects(pressed(input), reason);
  }
});

test("the agent can replace the description", () => {
  const press = async (): Promise<void> => {};
  assert.equal(createKeypadTool({ press }).name, KEYPAD_TOOL_NAME);
  assert.match(createKeypadTool({ press }).description, /automatic system/);
  assert.equal(createKeypadTool({ press, rules: "Only on Mondays." }).description, "Only on Mondays.");
});
