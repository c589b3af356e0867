import assert from "node:assert/strict";
import { test } from "node:test";
import { runStorm } from "./sms-storm.ts";

test("messages at once on two nodes, one of which is killed, are each covered by one reply, in order", async () => {
  const result = await runStorm({ messages: 100, numbers: 20, timeoutMs: 120_000 });
  assert.equal(result.messages, 100);
});
