import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { ConversationDetail, Message } from "@parley/contract";
import { assertRefused } from "../contract-conformance.ts";
import { CUSTOMER, OWN_NUMBER, read, startMessaging } from "./testing.ts";

test("a message is queued, sent once from the agent's number, and follows the provider's reports", async (t) => {
  const { twilio, send, sendDue, readMessage, agent, connection, server } = await startMessaging(t);
  const message = await send({ body: "Ready? Ça va 😀" });
  assert.deepEqual(
    [message.status, message.direction, message.channel, message.fromNumber, message.toNumber],
    ["queued", "OUTBOUND", "sms", OWN_NUMBER, CUSTOMER],
  );
  assert.deepEqual(
    [message.agentId, message.agentName, message.messagingConnectionId, message.providerMessageId],
    [agent.id, "Ada", connection.id, null],
  );
  await sendDue();
  await sendDue();
  const [sent, ...others] = twilio.messages;
  assert.ok(sent !== undefined && others.length === 0);
  assert.deepEqual([sent.from, sent.to, sent.body], [OWN_NUMBER, CUSTOMER, "Ready? Ça va 😀"]);
  assert.equal((await readMessage(message.id)).providerMessageId, sent.sid);
  for (const [status, expected] of [
    ["sent", "sent"],
    ["delivered", "delivered"],
    // Repeated and late.
    ["sent", "delivered"],
  ] as const) {
    assert.equal((await twilio.report(sent, status))?.status, 204);
    assert.equal((await readMessage(message.id)).status, expected);
  }
  const { conversationId } = await readMessage(message.id);
  const conversation = read<ConversationDetail>(
    await server.request("GET", `/conversations/${conversationId}`),
  );
  assert.deepEqual(
    [conversation.channel, conversation.transcript.map(({ role, text }) => [role, text])],
    ["sms", [["agent", "Ready? Ça va 😀"]]],
  );
});

test("a hook rejects requests that Twilio has not signed", async (t) => {
  const { twilio, send, sendDue, readMessage, publicUrl, connection } = await startMessaging(t);
  const message = await send();
  await sendDue();
  const url = twilio.messages[0]?.statusCallback ?? "";
  const parameters = { MessageSid: twilio.messages[0]?.sid ?? "", MessageStatus: "delivered" };
  const wrong = await twilio.callHook(url, parameters, { authToken: "other" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.body).error], [401, "unauthorized"]);
  const unsigned = await fetch(url, { method: "POST", body: new URLSearchParams(parameters) });
  assert.equal(unsigned.status, 401);
  // The signature covers the URL: it is not valid for another message.
  const other = await twilio.callHook(`${url}&x=1`, parameters, { authToken: "other" });
  assert.equal(other.status, 401);
  assert.equal((await readMessage(message.id)).status, "queued");
  const unknown = `${publicUrl}/hooks/twilio/${randomUUID()}/status`;
  assert.equal((await twilio.callHook(unknown, parameters)).status, 404);
  const json = await fetch(`${publicUrl}/hooks/twilio/${connection.id}/status`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "x",
  });
  assert.equal(json.status, 415);
});

test("a refused message fails with the provider's error, and is not sent again", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  twilio.fault = () => ({ type: "error", status: 400, code: 21211, message: "Invalid 'To' Phone Number" });
  const { id } = await send();
  await sendDue();
  advance(24 * 3600_000);
  twilio.fault = () => undefined;
  await sendDue();
  const { status, errorCode, errorMessage } = await readMessage(id);
  assert.deepEqual([status, errorCode, errorMessage], ["failed", 21211, "Invalid 'To' Phone Number"]);
  assert.equal(twilio.messages.length, 0);
});

test("a message that the provider limits or never received is sent later", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  twilio.fault = (_request, index) =>
    index < 3 ? { type: "error", status: 429, code: 20429, message: "Too many requests" } : undefined;
  const { id } = await send();
  await sendDue();
  assert.deepEqual([(await readMessage(id)).status, twilio.messages.length], ["queued", 0]);
  advance(5_000);
  await sendDue();
  advance(15_000);
  await sendDue();
  assert.equal(twilio.messages.length, 1);
  assert.equal((await readMessage(id)).providerMessageId, twilio.messages[0]?.sid);
});

test("a message whose answer was lost is found at the provider, and not sent again", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  // An equal message before it is not mistaken for it.
  const first = await send();
  await sendDue();
  twilio.fault = ({ operation }) => (operation === "send" ? { type: "cut", hasEffect: true } : undefined);
  const { id } = await send();
  await sendDue();
  assert.equal((await readMessage(id)).providerMessageId, null);
  twilio.fault = () => undefined;
  advance(10_000);
  await sendDue();
  const [one, two, ...more] = twilio.messages;
  assert.deepEqual(
    [(await readMessage(first.id)).providerMessageId, (await readMessage(id)).providerMessageId, more.length],
    [one?.sid, two?.sid, 0],
  );
});

test("a message whose request was lost fails, because it is sent at most once", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  twilio.fault = ({ operation }) => (operation === "send" ? { type: "cut", hasEffect: false } : undefined);
  const { id } = await send();
  for (let round = 0; round < 6; round++) {
    await sendDue();
    advance(10_000);
  }
  const { status, errorMessage } = await readMessage(id);
  assert.equal(status, "failed");
  assert.match(errorMessage ?? "", /not in its list/);
  assert.equal(twilio.requests.filter(({ operation }) => operation === "send").length, 1);
});

test("a report settles a message whose answer was lost", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  twilio.fault = ({ operation }) => (operation === "send" ? { type: "cut", hasEffect: true } : undefined);
  const { id } = await send();
  await sendDue();
  const [sent] = twilio.messages;
  assert.ok(sent !== undefined);
  await twilio.report(sent, "delivered");
  const { status, providerMessageId } = await readMessage(id);
  assert.deepEqual([status, providerMessageId], ["delivered", sent.sid]);
  advance(60_000);
  await sendDue();
  assert.equal(twilio.requests.filter(({ operation }) => operation === "list").length, 0);
});

test("a report that overtakes the answer counts: a delivery is known, and a temporary failure is repeated", async (t) => {
  for (const [status, errorCode, expected] of [
    ["delivered", undefined, "delivered"],
    ["undelivered", 30001, "delivered"],
  ] as const) {
    const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
    twilio.fault = () => {
      twilio.fault = () => undefined;
      return {
        type: "overtaken",
        by: async () => {
          const [sent] = twilio.messages;
          if (sent !== undefined) await twilio.report(sent, status, errorCode);
        },
      };
    };
    const { id } = await send();
    await sendDue();
    advance(5_000);
    await sendDue();
    const last = twilio.messages.at(-1);
    assert.ok(last !== undefined);
    await twilio.report(last, "delivered");
    const message = await readMessage(id);
    assert.deepEqual([message.status, message.providerMessageId], [expected, last.sid]);
    assert.equal(twilio.messages.length, errorCode === undefined ? 1 : 2);
  }
});

test("a delivery that fails for a temporary reason is repeated, another one is not", async (t) => {
  const { twilio, send, sendDue, readMessage, advance } = await startMessaging(t);
  const { id } = await send();
  await sendDue();
  const [first] = twilio.messages;
  assert.ok(first !== undefined);
  await twilio.report(first, "sent");
  await twilio.report(first, "undelivered", 30001);
  assert.deepEqual([(await readMessage(id)).status, (await readMessage(id)).errorCode], ["queued", 30001]);
  advance(5_000);
  await sendDue();
  const [, second] = twilio.messages;
  assert.ok(second !== undefined);
  // A late report about the first attempt.
  await twilio.report(first, "delivered");
  assert.equal((await readMessage(id)).status, "queued");
  await twilio.report(second, "undelivered", 30007);
  assert.deepEqual([(await readMessage(id)).status, (await readMessage(id)).errorCode], ["failed", 30007]);
  advance(3600_000);
  await sendDue();
  assert.equal(twilio.messages.length, 2);
});

test("messages between two numbers are sent in order, also after a failed attempt", async (t) => {
  const { twilio, send, sendDue, advance } = await startMessaging(t);
  twilio.fault = (_request, index) =>
    index === 1 ? { type: "error", status: 429, code: 20429, message: "Too many requests" } : undefined;
  for (const body of ["one", "two", "three"]) await send({ body });
  await send({ body: "other", toNumber: "+14155550124" });
  for (let round = 0; round < 10; round++) {
    await sendDue();
    advance(1_000);
  }
  const bodies = twilio.messages.map(({ body }) => body);
  assert.equal(bodies.length, 4);
  assert.deepEqual(
    bodies.filter((body) => body !== "other"),
    ["one", "two", "three"],
  );
});

test("a number sends at the pace of its connection", async (t) => {
  const { server, connection, twilio, send, sendDue, advance } = await startMessaging(t);
  await server.request("PATCH", `/messaging-connections/${connection.id}`, { messagesPerSecond: 2 });
  for (let index = 0; index < 6; index++) await send({ toNumber: `+1415555020${index}` });
  const counts: number[] = [];
  for (let tick = 0; tick < 6; tick++) {
    await sendDue();
    counts.push(twilio.messages.length);
    advance(500);
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6]);
});

test("the receiver has to be allowed, and the sender to be the agent's", async (t) => {
  const { server, agent, twilio, send } = await startMessaging(t);
  const body = { agentId: agent.id, toNumber: CUSTOMER, body: "Hello" };
  for (const [change, path] of [
    [{ agentId: randomUUID() }, "agentId"],
    [{ fromNumber: "+14155550199" }, "fromNumber"],
    [{ toNumber: "+1" }, "toNumber"],
    [{ body: " " }, "body"],
    [{ body: "x".repeat(1601) }, "body"],
  ] as const)
    assertRefused(await server.request("POST", "/messages", { ...body, ...change }), "invalid_body", path);
  // The organization's country is that of its number.
  const abroad = await server.request("POST", "/messages", { ...body, toNumber: "+4930123456" });
  assertRefused(abroad, "destination_not_allowed");
  const emergency = await server.request("POST", "/messages", { ...body, toNumber: "+1911" });
  assert.ok(emergency.status === 400);
  const silent = await server.modules.agents.create(
    { organizationId: server.organizationId, actor: server.actor },
    { name: "Bea" },
  );
  const refused = await server.request("POST", "/messages", { ...body, agentId: silent.id });
  assertRefused(refused, "invalid_body", "agentId");
  assert.equal(twilio.messages.length, 0);
  await send({ fromNumber: OWN_NUMBER });
});

test("a receiver that the provider knows to have sent STOP gets no further message", async (t) => {
  const { server, agent, twilio, send, sendDue, readMessage } = await startMessaging(t);
  twilio.fault = () => ({ type: "error", status: 400, code: 21610, message: "Unsubscribed recipient" });
  const { id } = await send();
  await sendDue();
  assert.equal((await readMessage(id)).errorCode, 21610);
  const body = { agentId: agent.id, toNumber: CUSTOMER, body: "Hello" };
  assertRefused(await server.request("POST", "/messages", body), "destination_not_allowed");
});

test("a deleted message is gone with its text in the transcript, and is not sent", async (t) => {
  const { server, send, sendDue, twilio } = await startMessaging(t);
  const { id, conversationId } = await send({ body: "secret" });
  assert.deepEqual(read(await server.request("DELETE", `/messages/${id}`)), { id, deleted: true });
  assertRefused(await server.request("GET", `/messages/${id}`), "not_found");
  const { transcript } = read<ConversationDetail>(
    await server.request("GET", `/conversations/${conversationId}`),
  );
  assert.deepEqual(transcript, []);
  await sendDue();
  assert.equal(twilio.messages.length, 0);
});

test("the log is filtered by agent, connection, conversation, number, direction, status and time", async (t) => {
  const { server, agent, connection, send, advance } = await startMessaging(t);
  const first = await send();
  advance(60_000);
  const second = await send({ toNumber: "+14155550124" });
  const find = async (query: string): Promise<string[]> => {
    const { body } = await server.request("GET", `/messages?sort=asc&${query}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the conformance tests check it
    return (body as { data: Message[] }).data.map(({ id }) => id);
  };
  const both = [first.id, second.id];
  for (const [query, expected] of [
    ["", both],
    [`agentId=${agent.id}`, both],
    [`agentId=${randomUUID()}`, []],
    [`messagingConnectionId=${connection.id}`, both],
    [`conversationId=${first.conversationId}`, [first.id]],
    ["number=%2B14155550124", [second.id]],
    ["number=+14155550123", [first.id]],
    ["direction=OUTBOUND&status=queued", both],
    ["direction=INBOUND", []],
    ["status=failed", []],
    [`createdAfter=${second.createdAt}`, [second.id]],
    [`createdBefore=${second.createdAt}`, [first.id]],
  ] as const)
    assert.deepEqual(await find(query), expected, query);
});

test("a connection in use is not deleted, and a number has one agent on it", async (t) => {
  const { server, agent, connection } = await startMessaging(t);
  const { request } = server;
  assertRefused(await request("DELETE", `/messaging-connections/${connection.id}`), "in_use");
  const fields = {
    messagingConnectionId: connection.id,
    messagingConfig: { fromNumber: "+1 (415) 555-0100" },
  };
  const second = await request("POST", "/agents", { name: "Bea", ...fields });
  assertRefused(second, "invalid_body", "messagingConfig.fromNumber");
  const other = await server.createOrganization();
  const foreign = await request("POST", "/agents", { name: "Eve", ...fields }, other.apiKey);
  assertRefused(foreign, "invalid_body", "messagingConnectionId");
  const wrong = await request("PATCH", `/agents/${agent.id}`, { messagingConfig: { fromNumber: "+1" } });
  assertRefused(wrong, "invalid_body", "messagingConfig.fromNumber");
  await request("PATCH", `/agents/${agent.id}`, { messagingConnectionId: null });
  read(await request("DELETE", `/messaging-connections/${connection.id}`));
});

test("a message that an agent sends during a call names the call, and answers continue its thread", async (t) => {
  const { server, agent, twilio, sendDue, advance } = await startMessaging(t);
  const { agentResolution, messages } = server.modules;
  const resolved = await agentResolution.resolveAgent(server.organizationId, agent.id, { kind: "sms" });
  const callId = randomUUID();
  const text = "x".repeat(1700);
  await messages.sendDuringCall({ agent: resolved, callId, otherNumber: CUSTOMER, text });
  await sendDue();
  advance(1_000);
  await sendDue();
  const { body } = await server.request("GET", `/messages?callId=${callId}&sort=asc`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the conformance tests check it
  const sent = (body as { data: Message[] }).data;
  assert.deepEqual(
    sent.map((message) => [message.callId, message.generatedByLlm, message.toNumber]),
    [
      [callId, true, CUSTOMER],
      [callId, true, CUSTOMER],
    ],
  );
  assert.equal(twilio.messages.length, 2);
  const abroad = messages.sendDuringCall({ agent: resolved, callId, otherNumber: "+4930123456", text: "Hi" });
  await assert.rejects(abroad, /cannot be called/);
});
