import assert from "node:assert/strict";
import { test } from "node:test";
import { createTransferTool, type TransferResult } from "./transfer-tool.ts";

const context = { toolCallId: "1", signal: new AbortController().signal };
const destinations = [
  { to: "+14155550101", condition: "wants sales" },
  { to: "102", condition: "wants support" },
];

function create(result: TransferResult) {
  const chosen: number[] = [];
  const transfer = async (index: number): Promise<TransferResult> => {
    chosen.push(index);
    return await Promise.resolve(result);
  };
  return { chosen, tool: createTransferTool({ destinations, deadlineMs: 90_000, transfer }) };
}

test("the model sees the destinations with their conditions, after the rules", () => {
  const { tool } = create({ isTransferred: true });
  assert.match(tool.description, /\n1\. \+14155550101: wants sales\n2\. 102: wants support$/);
  const own = createTransferTool({
    destinations,
    deadlineMs: 1,
    rules: "Only on Mondays.",
    transfer: async () => await Promise.reject(new Error()),
  });
  assert.match(own.description, /^Only on Mondays\./);
});

test("a destination is chosen by its number, also as text, and anything else is refused", async () => {
  const { tool, chosen } = create({ isTransferred: true });
  assert.equal(await tool.execute({ destination: 2 }, context), "transferred");
  await tool.execute({ destination: " 1 " }, context);
  for (const input of [
    {},
    null,
    { destination: 0 },
    { destination: 3 },
    { destination: 1.5 },
    { destination: "x" },
  ])
    await assert.rejects(tool.execute(input, context), /destination must be a number from 1 to 2/);
  assert.deepEqual(chosen, [1, 0]);
});

test("a failure has its reason, and a simulated transfer says so", async () => {
  const failing = create({ isTransferred: false, reason: "busy" });
  await assert.rejects(failing.tool.execute({ destination: 1 }, context), /^Error: busy$/);
  const { tool } = create({ isTransferred: true, isSimulated: true });
  assert.match(String(await tool.execute({ destination: 1 }, context)), /simulated/);
});
