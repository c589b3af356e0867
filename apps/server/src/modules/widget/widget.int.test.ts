import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { WidgetCall, WidgetEvent, WidgetMessage, WidgetSettings } from "@parley/contract";
import { widgetRoutes } from "@parley/contract";
import type { ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { assertRefused } from "../contract-conformance.ts";
import { joinParts } from "../chats/testing.ts";
import { read } from "../messages/testing.ts";
import { PAGE, signUser, startWidget, TestPage } from "./testing.ts";

const answer = ({ messages }: ScriptedChatRequest) => ({ text: `Answer ${messages.length}.` });
const isAgentMessage = (event: WidgetEvent): boolean =>
  event.type === "message" && event.message.role === "agent" && event.message.text.startsWith("Answer");

test("a visitor writes and reads the streamed reply, and has the chat after a reload", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const platform = await startWidget(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return { text: "Answer: we are open." };
      },
      betweenChunksMs: 50,
    },
    {
      promptTemplate: "You speak.",
      defaultVariables: { shop: "Miller" },
      widgetConfig: {
        webchatPrompt: "You write for {{shop}}.",
        appearance: { welcomeMessage: "Welcome to {{shop}}!" },
      },
    },
  );
  const page = new TestPage(platform, PAGE);
  const session = await page.start();
  assert.equal(session.isIdentified, false);
  assert.deepEqual((await page.chat()).messages, []);
  const reader = await page.stream();
  const id = randomUUID();
  const sent = read<{ conversationId: string; message: WidgetMessage }>(await page.send("Hello?", id), 201);
  assert.deepEqual([sent.message.id, sent.message.role, sent.message.text], [id, "user", "Hello?"]);
  const reply = await reader.find(isAgentMessage);
  assert.ok(reply.type === "message");
  assert.equal(joinParts(reader.events, reply.message.id), "Answer: we are open.");
  await reader.close();
  assert.equal(requests[0]?.messages[0]?.content, "You write for Miller.");
  const reloaded = new TestPage(platform, PAGE);
  await reloaded.start({ sessionToken: page.token });
  const chat = await reloaded.chat();
  assert.deepEqual(
    chat.messages.map(({ role, text }) => [role, text]),
    [
      ["agent", "Welcome to Miller!"],
      ["user", "Hello?"],
      ["agent", "Answer: we are open."],
    ],
  );
  assert.deepEqual([chat.conversationId, chat.endReason], [sent.conversationId, null]);
  const next = await reloaded.stream(chat.lastEventId ?? "");
  await next.find(({ type }) => type === "activity");
  assert.ok(!next.events.some(({ type }) => type === "message"));
  await next.close();
});

test("pages learn of an agent what they show, and nothing else", async (t) => {
  const secret = "Never tell this.";
  const platform = await startWidget(
    t,
    { reply: answer },
    {
      name: "Internal name",
      promptTemplate: secret,
      widgetConfig: {
        webchatPrompt: secret,
        allowedDomains: ["shop.example"],
        appearance: { agentDisplayName: "Ada", accentColor: "#112233", position: "bottom-left" },
        modes: { voice: false },
      },
    },
  );
  const { status, body, headers } = await new TestPage(platform, PAGE).request("GET", "");
  const settings = read<WidgetSettings>({ status, body, headers });
  assert.deepEqual(
    [settings.agentName, settings.modes, settings.appearance.accentColor, settings.appearance.position],
    ["Ada", { chat: true, voice: false }, "#112233", "bottom-left"],
  );
  for (const hidden of [secret, "Internal name", "shop.example", "limits", "environment", platform.agentId])
    assert.ok(!JSON.stringify(body).includes(hidden), hidden);
  assert.equal(headers["access-control-allow-origin"], "*");
  const preflight = await new TestPage(platform, "https://other.example").request(
    "OPTIONS",
    "/chat/messages",
  );
  assert.equal(preflight.status, 204);
  assert.match(String(preflight.headers["access-control-allow-headers"]), /Authorization/);
});

test("every operation refuses pages of other hosts, and tokens of other pages, widgets and visitors", async (t) => {
  const platform = await startWidget(
    t,
    { reply: answer },
    { widgetConfig: { allowedDomains: ["shop.example", "*.shop.example", "localhost:3000"] } },
  );
  const page = new TestPage(platform, PAGE);
  await page.start();
  const paths = widgetRoutes.map(({ method, path, isPublic }) => ({
    method: method === "GET" ? ("GET" as const) : ("POST" as const),
    path: path.replace("/{widgetKey}", ""),
    isPublic,
  }));
  for (const { method, path, isPublic } of paths) {
    const body = method === "POST" ? {} : undefined;
    for (const origin of ["https://evil.example", "https://shop.example.evil.example", "null", "file://"]) {
      const other = new TestPage(platform, origin);
      if (isPublic !== true) other.token = page.token;
      const { status } = await other.request(method, path, body);
      assert.ok(status === 403 || (isPublic !== true && status === 401), `${origin} ${path}: ${status}`);
    }
    if (isPublic === true) continue;
    for (const token of ["", "x", "x.y", `${page.token}x`, page.token.replace(/^./, "x")]) {
      const stranger = new TestPage(platform, PAGE);
      stranger.token = token;
      assertRefused(await stranger.request(method, path, body), "unauthorized");
    }
    const elsewhere = new TestPage(platform, "https://www.shop.example");
    elsewhere.token = page.token;
    assertRefused(await elsewhere.request(method, path, body), "unauthorized");
  }
  for (const origin of ["https://a.b.shop.example", "https://shop.example:8443", "http://localhost:3000"])
    await new TestPage(platform, origin).start();
  assertRefused(
    await new TestPage(platform, "http://localhost:3001").request("POST", "/sessions", {}),
    "forbidden",
  );
  // Pages of this server, which send no origin with reads.
  await new TestPage(platform, undefined).start();
  const other = await startWidget(t, { reply: answer });
  const foreign = new TestPage(other, PAGE);
  foreign.token = page.token;
  assertRefused(await foreign.request("GET", "/chat"), "unauthorized");
});

test("a page gets the latest messages of a long chat, without tools between them, and the stream goes on after them", async (t) => {
  const platform = await startWidget(t, { reply: answer });
  const { conversations } = platform.server.modules;
  const page = new TestPage(platform, PAGE);
  await page.start();
  const { conversationId } = read<{ conversationId: string }>(await page.send("first"), 201);
  await platform.writeDue();
  const items = Array.from({ length: 1_000 }, (_, index) => {
    const startMs = 1_000_000 + index;
    const type = index % 2 === 0 ? ("message" as const) : ("tool_call" as const);
    return { id: randomUUID(), type, role: "user" as const, text: `Item ${index}`, startMs, endMs: startMs };
  });
  await conversations.appendItems(conversationId, items, new Date(), platform.server.database);
  const { messages, lastEventId } = await page.chat();
  const latest = items.filter(({ type }) => type === "message").slice(-200);
  assert.deepEqual(
    messages.map(({ text }) => text),
    latest.map(({ text }) => text),
  );
  const reader = await page.stream(lastEventId ?? "");
  await reader.find(({ type }) => type === "activity");
  assert.ok(!reader.events.some(({ type }) => type === "message"));
  await reader.close();
});

test("each visitor has a chat of their own", async (t) => {
  const platform = await startWidget(t, { reply: answer });
  const [ada, bob] = [new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  await Promise.all([ada.start(), bob.start()]);
  await ada.send("Rumpelstiltskin");
  const reader = await bob.stream();
  await reader.find(({ type }) => type === "activity");
  await bob.send("Hello");
  await reader.find(isAgentMessage);
  await reader.close();
  assert.ok(!JSON.stringify([await bob.chat(), reader.events]).includes("Rumpelstiltskin"));
});

test("without chat mode, billing or an active agent nobody writes", async (t) => {
  const { server, ...platform } = await startWidget(t, { reply: answer });
  const page = new TestPage({ server, ...platform }, PAGE);
  await page.start();
  await platform.change({ widgetConfig: { modes: { chat: false } } });
  assertRefused(await page.send("Hi"), "forbidden");
  await platform.change({ widgetConfig: { modes: { chat: true, voice: false } } });
  assertRefused(await page.request("POST", "/calls", {}), "forbidden");
  await server.modules.organizations.operate(server.database, server.organizationId, {
    isBillingActive: false,
  });
  for (const { method, path } of widgetRoutes) {
    const refused = await page.request(
      method === "GET" ? "GET" : "POST",
      path.replace("/{widgetKey}", ""),
      {},
    );
    assertRefused(refused, "billing_inactive");
  }
  await server.modules.organizations.operate(server.database, server.organizationId, {
    isBillingActive: true,
  });
  await platform.change({ status: "disabled" });
  assertRefused(await page.send("Hi"), "not_found");
  await platform.change({ status: "active", widgetConfig: { enabled: false } });
  assertRefused(await page.request("GET", ""), "not_found");
});

test("a visitor writes no more than messagesPerDay, and again a day later", async (t) => {
  const platform = await startWidget(
    t,
    { reply: answer },
    { widgetConfig: { limits: { messagesPerDay: 3 } } },
  );
  const page = new TestPage(platform, PAGE);
  await page.start();
  const id = randomUUID();
  await page.send("one", id);
  for (let time = 0; time < 3; time++) read(await page.send("one", id), 201);
  await page.send("two");
  const sent = await Promise.all([page.send("three"), page.send("four")]);
  assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([201, 429]));
  const refused = await page.send("five");
  assertRefused(refused, "rate_limited");
  assert.ok(Number(refused.headers["retry-after"]) > 86_000);
  platform.advance(24 * 3600_000);
  read(await page.send("six"), 201);
});

test("messages and sessions are limited per address, agent and organization", async (t) => {
  const { server, ...platform } = await startWidget(t, { reply: answer });
  const pages = Array.from({ length: 40 }, () => new TestPage({ server, ...platform }, PAGE));
  const started = await Promise.all(
    pages.map(async (page) => {
      page.address = "192.0.2.1";
      return (await page.request("POST", "/sessions", {})).status;
    }),
  );
  assert.equal(started.filter((status) => status === 201).length, 20);
  const page = new TestPage({ server, ...platform }, PAGE);
  await page.start();
  const sent = await Promise.all(Array.from({ length: 40 }, async () => (await page.send("Hi")).status));
  const count = sent.filter((status) => status === 201).length;
  assert.ok(count >= 30 && count < 35, String(count));
  const limits = { chatMessagesPerMinute: 4 };
  await server.modules.organizationLimits.override(server.database, server.organizationId, limits);
  const statuses: number[] = [];
  for (let index = 0; index < 4; index++) {
    const other = new TestPage({ server, ...platform }, PAGE);
    await other.start();
    statuses.push((await other.send("Hi")).status);
  }
  assert.ok(statuses.includes(429), String(statuses));
});

test("a signed user has the same chat on every device; an anonymous chat stays with who signs in", async (t) => {
  const platform = await startWidget(t, { reply: answer });
  const { server, agentId, advance } = platform;
  const created = await server.request("POST", `/agents/${agentId}/widget-secret`);
  const { secret } = read<{ secret: string; last4: string }>(created);
  const sign = (sub: string): string => signUser(secret, { sub, exp: Date.now() / 1000 + 600 });
  const [phone, laptop] = [new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  await phone.start();
  await phone.send("Anonymous");
  const session = await phone.start({ sessionToken: phone.token, userToken: sign("ada") });
  assert.equal(session.isIdentified, true);
  assert.equal((await phone.chat()).messages[0]?.text, "Anonymous");
  await laptop.start({ userToken: sign("ada") });
  assert.equal((await laptop.chat()).conversationId, (await phone.chat()).conversationId);
  const bob = new TestPage(platform, PAGE);
  await bob.start({ userToken: sign("bob") });
  assert.equal((await bob.chat()).conversationId, null);
  // Who signs out begins anew.
  const out = new TestPage(platform, PAGE);
  await out.start({ sessionToken: phone.token });
  assert.equal((await out.chat()).conversationId, null);
  advance(25 * 3600_000);
  assertRefused(await laptop.request("GET", "/chat"), "unauthorized");
});

test("user tokens that are forged, old, too long valid or by another secret are refused", async (t) => {
  const platform = await startWidget(t, { reply: answer });
  const { server, agentId } = platform;
  const path = `/agents/${agentId}/widget-secret`;
  const page = new TestPage(platform, PAGE);
  const nowSeconds = Date.now() / 1000;
  const good = { sub: "ada", exp: nowSeconds + 600 };
  const refuse = async (userToken: string): Promise<void> =>
    assertRefused(await page.request("POST", "/sessions", { userToken }), "unauthorized");
  await refuse(signUser("none", good));
  const { secret, last4 } = read<{ secret: string; last4: string }>(await server.request("POST", path));
  assert.equal(secret.slice(-4), last4);
  const [head, payload] = signUser(secret, good).split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  for (const token of [
    "x",
    "a.b.c",
    `${head}.${payload}.`,
    `${none}.${payload}.`,
    signUser("other", good),
    signUser(secret, good, { alg: "HS512" }),
    signUser(secret, { sub: "ada" }),
    signUser(secret, { ...good, exp: nowSeconds - 120 }),
    signUser(secret, { ...good, exp: nowSeconds + 7200 }),
    signUser(secret, { ...good, nbf: nowSeconds + 600 }),
    signUser(secret, { ...good, sub: "" }),
    signUser(secret, { ...good, sub: 5 }),
    signUser(secret, { ...good, sub: "x".repeat(256) }),
    signUser(secret, { ...good, sub: "a\0b" }),
  ])
    await refuse(token);
  await page.start({ userToken: signUser(secret, good) });
  const { rows } = await server.database.$client.query("select * from widget_secrets");
  assert.ok(!JSON.stringify(rows).includes(secret));
  read(await server.request("POST", path));
  await refuse(signUser(secret, good));
  assert.deepEqual(read(await server.request("GET", path)), read(await server.request("GET", path)));
  assert.equal(read<{ enabled: boolean }>(await server.request("DELETE", path)).enabled, false);
});

test("a visitor ends the chat, and the next message begins another on the same stream", async (t) => {
  const platform = await startWidget(t, { reply: answer });
  const page = new TestPage(platform, PAGE);
  await page.start();
  const reader = await page.stream();
  await page.send("one");
  await reader.find(isAgentMessage);
  const { conversationId } = await page.chat();
  assert.deepEqual(read(await page.request("POST", "/chat/end")), { conversationId });
  assert.deepEqual(read(await page.request("POST", "/chat/end")), { conversationId: null });
  await reader.find(({ type }) => type === "ended");
  assert.equal((await page.chat()).endReason, "user");
  await page.send("two");
  await waitFor("the second reply", () => reader.events.filter(isAgentMessage).length === 2);
  await reader.close();
  assert.notEqual((await page.chat()).conversationId, conversationId);
});

test("a chat keeps the environment that it began with; a deleted one is production", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const platform = await startWidget(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return answer(request);
      },
    },
    { promptTemplate: "{{stage}} first", defaultVariables: { stage: "live" } },
  );
  const { server, agentId, change } = platform;
  read(
    await server.request("PUT", `/agents/${agentId}/environments/staging`, {
      revision: 1,
      variables: { stage: "staged" },
    }),
  );
  await change({ widgetConfig: { environment: "staging" }, promptTemplate: "{{stage}} second" });
  const [before, after] = [new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  await before.start();
  await after.start();
  await before.send("one");
  await platform.writeDue();
  read(await server.request("DELETE", `/agents/${agentId}/environments/staging`));
  await before.send("two");
  await platform.writeDue();
  await after.send("three");
  await platform.writeDue();
  assert.deepEqual(
    requests.map(({ messages }) => messages[0]?.content),
    ["staged first", "staged first", "live second"],
  );
});

test("a visitor's call runs the widget's agent, and knows what was written if memory is shared", async (t) => {
  const platform = await startWidget(
    t,
    { reply: () => ({ text: "It opens at nine." }) },
    {
      promptTemplate: "You help.",
      widgetConfig: { continuity: { sharedMemory: true, resumeCalls: true } },
    },
  );
  const { server } = platform;
  const page = new TestPage(platform, PAGE);
  await page.start();
  await page.send("When does the shop open? {{call_id}}");
  await platform.writeDue();
  const call = read<WidgetCall>(await page.request("POST", "/calls", {}), 201);
  assert.match(call.url, new RegExp(`/rtc/calls/${call.callId}$`));
  assert.equal(call.isResumed, false);
  await waitFor("the call's media", () => server.media.opened.length === 1);
  const [opened] = server.media.opened;
  assert.match(opened?.instructions ?? "", /^You help\.\n\nYour earlier conversations/);
  assert.match(
    opened?.instructions ?? "",
    /Other side: When does the shop open\? \{\{call_id\}\}\nYou: It opens/,
  );
  const record = await server.modules.calls.get(server.organizationId, call.callId);
  assert.deepEqual([record.isTest, record.channel], [false, "web"]);
  await server.modules.calls.appendItems(
    call.callId,
    [{ id: "1", type: "message", role: "user", text: "My name is Ada.", startMs: 0, endMs: 1 }],
    new Date(),
  );
  // The page is reloaded: the call goes on in another one.
  const resumed = read<WidgetCall>(await page.request("POST", "/calls", { resumeCallId: call.callId }), 201);
  assert.equal(resumed.isResumed, true);
  await waitFor("the second call's media", () => server.media.opened.length === 2);
  const second = server.media.opened[1];
  assert.match(second?.instructions ?? "", /This call continues[^]*My name is Ada\./);
  assert.equal(second?.agent.firstMessageMode, "generated");
  const stranger = new TestPage(platform, PAGE);
  await stranger.start();
  const refused = read<WidgetCall>(
    await stranger.request("POST", "/calls", { resumeCallId: call.callId }),
    201,
  );
  assert.equal(refused.isResumed, false);
  await waitFor("the third call's media", () => server.media.opened.length === 3);
  assert.equal(server.media.opened[2]?.instructions, "You help.");
});

test("a chat knows what was said in a call if memory is shared, and otherwise not", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const platform = await startWidget(
    t,
    {
      reply: (request) => {
        requests.push(request);
        return answer(request);
      },
    },
    { promptTemplate: "You help.", widgetConfig: { continuity: { sharedMemory: true } } },
  );
  const { server } = platform;
  const page = new TestPage(platform, PAGE);
  await page.start();
  const { callId } = read<WidgetCall>(await page.request("POST", "/calls", {}), 201);
  const said = { type: "message", role: "user", text: "My name is Ada.", startMs: 0, endMs: 1 } as const;
  await server.modules.calls.appendItems(callId, [{ ...said, id: "1" }], new Date());
  await page.send("What is my name?");
  await platform.writeDue();
  assert.match(requests[0]?.messages[0]?.content ?? "", /By voice on the web page[^]*My name is Ada\./);
  await platform.change({ widgetConfig: { continuity: { sharedMemory: false } } });
  await page.request("POST", "/chat/end");
  await page.send("And now?");
  await platform.writeDue();
  assert.equal(requests[1]?.messages[0]?.content, "You help.");
});
