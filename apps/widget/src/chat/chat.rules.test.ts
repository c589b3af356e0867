import assert from "node:assert/strict";
import { test } from "node:test";
import type { WidgetEvent } from "@parley/contract";
import {
  addDraft,
  applyEvent,
  type Chat,
  disconnect,
  emptyChat,
  loadChat,
  MAX_SHOWN_MESSAGES,
  markDraft,
  showsWelcome,
} from "./chat.rules.ts";

const AT = "2026-11-23T09:00:00.000Z";
const message = (id: string, role: "user" | "agent", text: string, conversationId = "c1"): WidgetEvent => ({
  type: "message",
  conversationId,
  message: { id, role, text, createdAt: AT },
});
const part = (offset: number, text: string, messageId = "r"): WidgetEvent => ({
  type: "replyPart",
  messageId,
  offset,
  text,
});
const apply = (chat: Chat, ...events: WidgetEvent[]): Chat => events.reduce(applyEvent, chat);
const texts = (chat: Chat): string[] => chat.messages.map(({ text }) => text);

test("a draft becomes the stored message, after the welcome that the server stores first", () => {
  const draft = addDraft(emptyChat, "m", "Hello?", AT);
  assert.ok(showsWelcome(draft));
  const chat = apply(draft, message("w", "agent", "Welcome!"), message("m", "user", "Hello?"));
  assert.deepEqual(texts(chat), ["Welcome!", "Hello?"]);
  assert.deepEqual(
    chat.messages.map(({ delivery }) => delivery),
    ["sent", "sent"],
  );
  assert.ok(!showsWelcome(chat));
});

test("parts make a reply, a part replaces what follows its offset, and the message replaces the reply", () => {
  const chat = apply(emptyChat, part(0, "We are open"), part(3, "were closed"));
  assert.equal(chat.reply?.text, "We were closed");
  const stored = apply(chat, message("r", "agent", "We were closed."));
  assert.equal(stored.reply, undefined);
  assert.deepEqual(texts(stored), ["We were closed."]);
  assert.equal(apply(stored, part(0, "late")), stored, "a late part changes nothing");
  assert.equal(apply(emptyChat, part(5, "gap")), emptyChat, "a part after a gap is left out");
});

test("a message that is written during a reply follows it, as after a reload", () => {
  const at = (second: number): string => `2026-11-23T09:00:0${second}.000Z`;
  const said = (id: string, role: "user" | "agent", second: number): WidgetEvent => ({
    type: "message",
    conversationId: "c1",
    message: { id, role, text: id, createdAt: at(second) },
  });
  const writing = addDraft(
    apply(emptyChat, said("question", "user", 1), part(0, "Hm")),
    "more",
    "more",
    at(9),
  );
  assert.equal(writing.reply?.afterId, "question");
  const both = apply(writing, said("more", "user", 3), part(2, "!"));
  assert.equal(both.reply?.afterId, "question");
  const stored = apply(both, said("r", "agent", 2), said("answer", "agent", 4));
  assert.deepEqual(texts(stored), ["question", "r", "more", "answer"]);
});

test("a discarded reply is removed, another one is not", () => {
  const chat = apply(emptyChat, part(0, "Hm"));
  assert.equal(applyEvent(chat, { type: "replyDiscarded", messageId: "other" }), chat);
  assert.equal(applyEvent(chat, { type: "replyDiscarded", messageId: "r" }).reply, undefined);
});

test("a failed reply is reported until the next message", () => {
  const failed = applyEvent(apply(emptyChat, part(0, "Hm")), { type: "replyFailed" });
  assert.deepEqual([failed.reply, failed.hasFailedReply], [undefined, true]);
  assert.equal(addDraft(failed, "m", "Again", AT).hasFailedReply, false);
});

test("repeated messages and unknown events change nothing", () => {
  const chat = apply(emptyChat, message("m", "user", "Hello?"));
  assert.equal(apply(chat, message("m", "user", "Hello?")), chat);
  assert.equal(applyEvent(chat, { type: "newer" } as unknown as WidgetEvent), chat);
});

test("after a reconnection the server's messages come first, and drafts and earlier conversations stay", () => {
  const before = apply(emptyChat, message("a", "user", "Old", "c0"), {
    type: "ended",
    conversationId: "c0",
    reason: "idle",
  });
  assert.ok(before.isEnded);
  const chat = loadChat(addDraft(addDraft(before, "m", "Lost answer", AT), "n", "Draft", AT), {
    conversationId: "c1",
    endReason: null,
    activity: "writing",
    messages: [{ id: "m", role: "user", text: "Lost answer", createdAt: AT }],
    lastEventId: "1",
  });
  assert.deepEqual(texts(chat), ["Old", "Lost answer", "Draft"]);
  assert.deepEqual([chat.activity, chat.isEnded], ["writing", false]);
});

test("only drafts can fail, and a lost connection drops what is unfinished", () => {
  const chat = apply(addDraft(emptyChat, "n", "Draft", AT), message("m", "user", "Stored"), part(0, "Hm"));
  const failed = markDraft(markDraft(chat, "n", "failed"), "m", "failed");
  assert.deepEqual(
    failed.messages.map(({ delivery }) => delivery),
    ["sent", "failed"],
  );
  assert.equal(disconnect(failed).reply, undefined);
  assert.equal(disconnect(emptyChat), emptyChat);
});

test("of a long chat the latest messages stay, and a draft is one of them", () => {
  const count = 10_000;
  const many = Array.from({ length: count }, (_, index) => message(String(index), "user", `Text ${index}`));
  const chat = addDraft(apply(emptyChat, ...many), "draft", "Draft", AT);
  assert.equal(chat.messages.length, MAX_SHOWN_MESSAGES);
  assert.deepEqual(texts(chat).slice(-2), [`Text ${count - 1}`, "Draft"]);
});
