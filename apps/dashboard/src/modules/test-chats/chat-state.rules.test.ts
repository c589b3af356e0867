import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationEvent, TranscriptItem } from "@parley/client";
import { afterEvent, emptyChat } from "./chat-state.rules.ts";

const item = (id: string, role: "user" | "agent", text: string): TranscriptItem => ({
  id,
  type: "message",
  role,
  text,
  startMs: 0,
  endMs: 0,
});

const after = (...events: readonly ConversationEvent[]) => events.reduce(afterEvent, emptyChat);

test("a reply grows part by part, and its message takes its place", () => {
  const writing = after(
    { type: "activity", activity: "writing" },
    { type: "replyPart", messageId: "r", offset: 0, text: "Good mor" },
    { type: "replyPart", messageId: "r", offset: 8, text: "ning" },
  );
  assert.deepEqual([writing.reply?.text, writing.activity], ["Good morning", "writing"]);
  const written = afterEvent(writing, { type: "item", item: item("r", "agent", "Good morning.") });
  assert.deepEqual([written.reply, written.items.length], [undefined, 1]);
});

test("a part replaces everything of its reply from there on, and another reply replaces all of it", () => {
  const first = { type: "replyPart", messageId: "r", offset: 0, text: "One two" } as const;
  assert.equal(after(first, { ...first, offset: 4, text: "three" }).reply?.text, "One three");
  assert.equal(after(first, first).reply?.text, "One two");
  assert.equal(after(first, { ...first, messageId: "s", text: "Four" }).reply?.text, "Four");
});

test("what comes again after a lost connection is shown once", () => {
  const message = { type: "item", item: item("u", "user", "Hello?") } as const;
  assert.equal(after(message, message).items.length, 1);
});

test("a discarded reply disappears, a failed one is told until the next message", () => {
  const part = { type: "replyPart", messageId: "r", offset: 0, text: "Well" } as const;
  assert.equal(after(part, { type: "replyDiscarded", messageId: "r" }).reply, undefined);
  assert.equal(after(part, { type: "replyDiscarded", messageId: "other" }).reply?.text, "Well");
  const failed = after(part, { type: "replyFailed" });
  assert.deepEqual([failed.reply, failed.isFailed], [undefined, true]);
  assert.equal(afterEvent(failed, { type: "item", item: item("u", "user", "Again") }).isFailed, false);
});

test("an end takes back what was being written", () => {
  const ended = after(
    { type: "replyPart", messageId: "r", offset: 0, text: "Well" },
    { type: "ended", conversationId: "c", reason: "idle" },
  );
  assert.deepEqual([ended.reply, ended.hasEnded], [undefined, true]);
});
