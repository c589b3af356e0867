import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";

test("the agent greets, answers a question and says nothing more", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley. How can I help?" },
    replies: ["We are open from nine to five. Anything else?"],
  });
  call.start();
  await call.letAgentFinish();
  await call.stayQuiet(400);
  await call.say("when are you open", 1200);
  await call.letAgentFinish();
  await call.stayQuiet(1000);
  assert.deepEqual(call.transcript, [
    "agent: Hello, this is Parley. How can I help?",
    "user: when are you open",
    "agent: We are open from nine to five. Anything else?",
  ]);
});
