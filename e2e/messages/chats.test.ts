import assert from "node:assert/strict";
import { test } from "node:test";
import { runChatStorm } from "./chat-storm.ts";

test("chats on two nodes, one of which is killed in mid-reply, get one reply to each message, and their streams go on", async () => {
  const { messages, resumedStreams } = await runChatStorm(12, 60_000);
  assert.deepEqual([messages, resumedStreams], [36, 6]);
});
