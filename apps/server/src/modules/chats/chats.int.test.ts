import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Conversation, ConversationEvent, TranscriptItem } from "@parley/contract";
import type { ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { assertRefused } from "../contract-conformance.ts";
import { read } from "../messages/testing.ts";
import { startReceiver } from "../webhooks/testing.ts";
import { joinParts, startChats } from "./testing.ts";

/** Several messages in a row arrive as a list of parts. */
const repeatWords = ({ lastUserText }: ScriptedChatRequest) => {
  const parts = lastUserText.startsWith("[") ? (JSON.parse(lastUserText) as { text: string }[]) : [];
  return { text: `You said: ${parts.at(-1)?.text ?? lastUserText}` };
};
const isItem =
  (text: string) =>
  (event: ConversationEvent): boolean =>
    event.type === "item" && event.item.text === text;
const isAnswerTo =
  (word: string) =>
  (event: ConversationEvent): boolean =>
    event.type === "item" && event.item.role === "agent" && event.item.text.endsWith(word);

test("a test chat runs the draft with its variables, streams the reply in parts, and is marked", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const { startChat, send, stream, transcript, server, agentId } = await startChats(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return { text: "We are open from nine until six." };
      },
      betweenChunksMs: 100,
    },
    {
      promptTemplate: "You work for {{shop}} ({{day}}, {{day_off}}).",
      defaultVariables: { shop: "Miller" },
      testVariables: { day: "Monday" },
    },
  );
  const chat = await startChat({ variables: { day: "Sunday" } });
  assert.deepEqual(
    [chat.channel, chat.isTest, chat.endedAt, chat.agentId],
    ["web_chat", true, null, agentId],
  );
  const reader = await stream(chat.id);
  await reader.find(({ type }) => type === "activity");
  await send(chat.id, "When are you open?");
  const found = await reader.find(isItem("We are open from nine until six."));
  assert.ok(found.type === "item");
  assert.equal(joinParts(reader.events, found.item.id), "We are open from nine until six.");
  assert.ok(reader.events.findIndex(({ type }) => type === "replyPart") < reader.events.indexOf(found));
  const listActivities = (): string[] =>
    reader.events.flatMap((event) => (event.type === "activity" ? event.activity : []));
  await waitFor("the end of the activity", () => listActivities().length >= 3);
  assert.deepEqual(listActivities(), ["idle", "writing", "idle"]);
  await reader.close();
  assert.equal(requests[0]?.messages[0]?.content, "You work for Miller (Sunday, ).");
  assert.deepEqual(await transcript(chat.id), [
    ["user", "When are you open?"],
    ["system", "The agent's configuration uses variables without a value: day_off."],
    ["agent", "We are open from nine until six."],
  ]);
  const page = await server.request("GET", "/conversations?channel=web_chat");
  assert.equal(JSON.stringify(page.body).includes(chat.id), true);
});

test("a chat keeps the configuration that it began with, its web chat prompt included", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const { startChat, send, stream, server, agentId } = await startChats(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return repeatWords(request);
      },
    },
    { promptTemplate: "First." },
  );
  const chat = await startChat();
  await server.request("PATCH", `/agents/${agentId}`, { promptTemplate: "Second." });
  const reader = await stream(chat.id);
  await send(chat.id, "one");
  await reader.find(isAnswerTo("one"));
  await reader.close();
  assert.equal(requests[0]?.messages[0]?.content, "First.");
});

test("a reader that reconnects gets what it missed, and one that begins gets all", async (t) => {
  const { startChat, send, stream, writeDue, server } = await startChats(t, { reply: repeatWords });
  const chat = await startChat();
  const first = await stream(chat.id);
  await send(chat.id, "one");
  await first.find(isAnswerTo("one"));
  await first.close();
  await waitFor("the end of the stream", () => !server.modules.chatHub.hasListener(chat.id));
  const { lastEventId } = first;
  await send(chat.id, "two");
  await writeDue();
  const texts = async (id?: string): Promise<string[]> => {
    const reader = await stream(chat.id, id);
    await reader.find(isAnswerTo("two"));
    await reader.close();
    return reader.events.flatMap((event) => (event.type === "item" ? event.item.text : []));
  };
  assert.deepEqual(await texts(lastEventId), ["two", "You said: two"]);
  const all = ["one", "You said: one", "two", "You said: two"];
  assert.deepEqual(await texts(), all);
  for (const strange of ["x", `${randomUUID()}.5`, `${chat.id}.-1`, "'; drop table chats"])
    assert.deepEqual(await texts(strange), all, strange);
});

test("a reader that comes in the middle of a reply sees what was written so far", async (t) => {
  const { startChat, send, stream } = await startChats(t, {
    reply: () => ({ text: "one two three four five six seven eight" }),
    betweenChunksMs: 40,
  });
  const chat = await startChat();
  const first = await stream(chat.id);
  await send(chat.id, "Count.");
  await waitFor("three parts", () => first.events.filter(({ type }) => type === "replyPart").length >= 3);
  const late = await stream(chat.id);
  const found = await late.find((event) => event.type === "item" && event.item.role === "agent");
  assert.ok(found.type === "item");
  const [part] = late.events.filter((event) => event.type === "replyPart");
  assert.equal(part?.offset, 0);
  assert.match(part?.text ?? "", /^one two three/);
  assert.equal(joinParts(late.events, found.item.id), found.item.text);
  await Promise.all([first.close(), late.close()]);
});

test("messages that arrive while the agent writes get one further reply", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const sending: Promise<void>[] = [];
  const { startChat, send, stream, transcript } = await startChats(t, {
    reply: (request) => {
      requests.push(request);
      if (requests.length === 1) sending.push(send(chat.id, "two"), send(chat.id, "two"));
      return repeatWords(request);
    },
    firstTokenDelayMs: 1_000,
  });
  const chat = await startChat();
  const reader = await stream(chat.id);
  await send(chat.id, "one");
  await reader.find(isAnswerTo("two"));
  await Promise.all(sending);
  await reader.close();
  const texts = (await transcript(chat.id)).map(([, text]) => text);
  assert.deepEqual(texts, ["one", "You said: one", "two", "two", "You said: two"]);
});

test("a repeated message has no further effect, and an id of another item is refused", async (t) => {
  const { startChat, server, stream, transcript } = await startChats(t, { reply: repeatWords });
  const chat = await startChat();
  const reader = await stream(chat.id);
  const body = { id: randomUUID(), text: "one" };
  const path = `/conversations/${chat.id}/messages`;
  const sent = await Promise.all([1, 2, 3].map(async () => await server.request("POST", path, body)));
  for (const answer of sent) assert.equal(read<TranscriptItem>(answer, 201).id, body.id);
  const reply = await reader.find(isAnswerTo("one"));
  assert.ok(reply.type === "item");
  await reader.close();
  assert.equal((await transcript(chat.id)).length, 2);
  assertRefused(await server.request("POST", path, { ...body, id: reply.item.id }), "invalid_body", "id");
  for (const text of ["", "  ", "x".repeat(4001), 5, null])
    assertRefused(await server.request("POST", path, { text }), "invalid_body", "text");
});

test("without a reader a reply is written by whichever node finds it, and a lost claim stores nothing", async (t) => {
  const { startChat, send, server, transcript, advance } = await startChats(t, { reply: repeatWords });
  const { chatReplies } = server.modules;
  const chat = await startChat();
  await send(chat.id, "one");
  assert.equal(await chatReplies.claimDue(), undefined);
  advance(250);
  const lost = await chatReplies.claimDue();
  assert.ok(lost !== undefined);
  assert.equal(await chatReplies.claimDue(), undefined);
  // Its node dies.
  advance(21_000);
  const next = await chatReplies.claimDue();
  assert.ok(next !== undefined);
  await chatReplies.run(next);
  await chatReplies.run(lost);
  assert.deepEqual(
    (await transcript(chat.id)).map(([, text]) => text),
    ["one", "You said: one"],
  );
});

test("a failed reply is repeated, then given up with a note; what was shown of it is discarded", async (t) => {
  let isFailing = true;
  const { startChat, send, stream, server, advance, transcript } = await startChats(t, {
    reply: repeatWords,
    fault: () => (isFailing ? { type: "status", status: 500 } : undefined),
  });
  const { chatReplies } = server.modules;
  const chat = await startChat();
  const reader = await stream(chat.id);
  await send(chat.id, "one");
  for (const delayMs of [1_000, 4_000]) {
    await waitFor("another attempt", async () => {
      advance(delayMs);
      const claimed = await chatReplies.claimDue();
      if (claimed !== undefined) await chatReplies.run(claimed);
      return claimed !== undefined;
    });
  }
  await reader.find(({ type }) => type === "replyFailed");
  const [, [type, text] = ["", ""]] = await transcript(chat.id);
  assert.equal(type, "system");
  assert.match(text, /^No reply: /);
  isFailing = false;
  await send(chat.id, "two");
  await reader.find(isAnswerTo("two"));
  await reader.close();
});

test("a tool is called once, with its chat, and its work is shown", async (t) => {
  const calls = await startReceiver(t, (response) => {
    // While the stream shows it.
    setTimeout(() => response.end("open until six"), 50);
  });
  const { startChat, send, stream, server, agentId, transcript } = await startChats(
    t,
    {
      reply: ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? { text: "Until six." }
          : { text: "One moment.", toolCalls: [{ name: "look_up", input: { day: "Monday" } }] },
      firstTokenDelayMs: 50,
    },
    {},
    { isPrivateWebhookAllowed: true },
  );
  await server.request("POST", `/agents/${agentId}/custom-tools`, {
    name: "look_up",
    webhookUrl: calls.url,
    schema: {
      description: "Looks up.",
      parameters: { type: "object", properties: { day: { type: "string" } } },
    },
  });
  const chat = await startChat();
  const reader = await stream(chat.id);
  await send(chat.id, "Until when?");
  await reader.find(isItem("Until six."));
  await reader.close();
  assert.ok(reader.events.some((event) => event.type === "activity" && event.activity === "working"));
  assert.ok(!reader.events.some(({ type }) => type === "replyDiscarded"));
  const [call, ...more] = calls.requests;
  assert.ok(call !== undefined && more.length === 0);
  const { channel, conversationId, callId } = JSON.parse(call.body) as Record<string, unknown>;
  assert.deepEqual([channel, conversationId, callId], ["web_chat", chat.id, null]);
  assert.deepEqual(await transcript(chat.id), [
    ["user", "Until when?"],
    ["agent", "One moment."],
    ["tool_call", '{"day":"Monday"}'],
    ["tool_result", "open until six"],
    ["agent", "Until six."],
  ]);
});

test("an instruction applies to the next reply, or has the agent write now", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const { startChat, send, stream, server } = await startChats(t, {
    reply: (request) => {
      requests.push(request);
      return { text: `Reply ${requests.length}.` };
    },
  });
  const chat = await startChat();
  const path = `/conversations/${chat.id}/instructions`;
  const reader = await stream(chat.id);
  const answer = await server.request("POST", path, { instruction: "  Offer tea.  " });
  assert.deepEqual(
    [answer.status, answer.body],
    [202, { data: { conversationId: chat.id, delivered: true, speak: false } }],
  );
  await reader.find(isItem("Offer tea."));
  await send(chat.id, "Hello");
  await reader.find(isItem("Reply 1."));
  assert.match(JSON.stringify(requests[0]?.messages), /Offer tea\./);
  await server.request("POST", path, { instruction: "Say goodbye.", speak: true });
  await reader.find(isItem("Reply 2."));
  await reader.close();
  assert.match(JSON.stringify(requests[1]?.messages), /Say goodbye\./);
  for (const instruction of ["", "   ", "x".repeat(2001)])
    assertRefused(await server.request("POST", path, { instruction }), "invalid_body", "instruction");
});

test("a chat without messages for 30 minutes ends, and takes nothing more", async (t) => {
  const { startChat, send, stream, server, advance } = await startChats(t, { reply: repeatWords });
  const { chats } = server.modules;
  const chat = await startChat();
  const reader = await stream(chat.id);
  await send(chat.id, "one");
  await reader.find(isAnswerTo("one"));
  advance(29 * 60_000);
  await chats.endIdle();
  const find = async (): Promise<Conversation> =>
    read<Conversation>(await server.request("GET", `/conversations/${chat.id}`));
  assert.equal((await find()).endedAt, null);
  advance(2 * 60_000);
  await chats.endIdle();
  await reader.end();
  assert.deepEqual(reader.events.at(-1), { type: "ended", conversationId: chat.id, reason: "idle" });
  const ended = await find();
  assert.equal(ended.endReason, "idle");
  assert.notEqual(ended.endedAt, null);
  const { request } = server;
  const path = `/conversations/${chat.id}`;
  assertRefused(await request("POST", `${path}/messages`, { text: "two" }), "conversation_not_active");
  assertRefused(
    await request("POST", `${path}/instructions`, { instruction: "x" }),
    "conversation_not_active",
  );
  assertRefused(await request("GET", `${path}/events`), "conversation_not_active");
});

test("a deleted chat is gone with all its words, also while a reply is written", async (t) => {
  const { startChat, send, stream, server } = await startChats(t, {
    reply: () => ({ text: "one two three four five six seven eight nine ten" }),
    betweenChunksMs: 30,
  });
  const chat = await startChat();
  const reader = await stream(chat.id);
  await send(chat.id, "Rumpelstiltskin");
  await reader.find(({ type }) => type === "replyPart");
  const path = `/conversations/${chat.id}`;
  const { status, body } = await server.request("DELETE", path);
  assert.deepEqual([status, body], [200, { data: { id: chat.id, deleted: true } }]);
  await reader.end();
  assert.deepEqual(reader.events.at(-1), { type: "ended", conversationId: chat.id, reason: "deleted" });
  assertRefused(await server.request("GET", path), "not_found");
  assertRefused(await server.request("DELETE", path), "not_found");
  await server.modules.chatReplies.close();
  const { rows } = await server.database.$client.query(
    "select 1 from transcript_items union all select 1 from chats",
  );
  assert.equal(rows.length, 0);
});

test("an inactive billing silences the agent", async (t) => {
  const { startChat, send, server, transcript, advance } = await startChats(t, { reply: repeatWords });
  const { chatReplies, organizations } = server.modules;
  const chat = await startChat();
  await send(chat.id, "one");
  await organizations.operate(server.database, server.organizationId, { isBillingActive: false });
  advance(1_000);
  const claimed = await chatReplies.claimDue();
  assert.ok(claimed !== undefined);
  await chatReplies.run(claimed);
  await organizations.operate(server.database, server.organizationId, { isBillingActive: true });
  assert.deepEqual(await transcript(chat.id), [
    ["user", "one"],
    ["system", "No reply: the organization's billing is inactive."],
  ]);
});
