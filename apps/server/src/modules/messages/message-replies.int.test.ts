import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import type { AgentCreation, ConversationDetail, Message, MessagingConnection } from "@parley/contract";
import {
  type ScriptedChatReply,
  type ScriptedChatRequest,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { assertRefused } from "../contract-conformance.ts";
import { isSignedWith, startReceiver } from "../webhooks/testing.ts";
import { CUSTOMER, OWN_NUMBER, read, startMessaging } from "./testing.ts";

const OTHER = "+14155550124";
type Answer = (request: ScriptedChatRequest) => ScriptedChatReply;

const repeatWords: Answer = ({ lastUserText }) => ({ text: `You said: ${lastUserText}` });

async function start(
  t: TestContext,
  agentFields: Partial<AgentCreation> = {},
  answer: Answer = repeatWords,
  isFailing: (index: number) => boolean = () => false,
  { beforeAnswer = async () => {} }: { beforeAnswer?: () => Promise<unknown> } = {},
) {
  const requests: ScriptedChatRequest[] = [];
  const model = await startScriptedOpenAi({
    fault: (index) => (isFailing(index) ? { type: "status", status: 500 } : undefined),
    reply: (request) => {
      requests.push(request);
      return answer(request);
    },
  });
  t.after(async () => await model.close());
  const messaging = await startMessaging(t, agentFields, {
    languageModelUrl: `${await startGate(t, model.url, beforeAnswer)}/v1`,
    isPrivateWebhookAllowed: true,
  });
  const { server, twilio, connection, sendDue } = messaging;
  const { inboundMessageUrl } = read<MessagingConnection>(
    await server.request("GET", `/messaging-connections/${connection.id}`),
  ).config;
  assert.ok(inboundMessageUrl !== null);
  const { messageReplies } = server.modules;
  return {
    ...messaging,
    requests,
    inboundMessageUrl,
    text: async (
      body: string,
      from = CUSTOMER,
      more: { sid?: string; parameters?: Record<string, string> } = {},
    ) => await twilio.deliver(inboundMessageUrl, { from, to: OWN_NUMBER, body, ...more }),
    /** Writes and sends all replies that are due. */
    replyDue: async (): Promise<void> => {
      for (;;) {
        const claimed = await messageReplies.claim();
        if (claimed === undefined) break;
        await messageReplies.run(claimed);
      }
      await sendDue();
    },
    list: async (query = ""): Promise<Message[]> => {
      const { body } = await server.request("GET", `/messages?sort=asc&pageSize=100&${query}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the conformance tests check it
      return (body as { data: Message[] }).data;
    },
    transcript: async (id: string | null | undefined): Promise<[string, string][]> => {
      const found = read<ConversationDetail>(await server.request("GET", `/conversations/${id}`));
      return found.transcript.map(({ type, role, text }) => [role ?? type, text]);
    },
  };
}

/** Passes requests on to a server, each after something has happened. Returns its URL. */
async function startGate(t: TestContext, target: string, before: () => Promise<unknown>): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await json(request);
      await before();
      const headers = { "content-type": "application/json" };
      const answer = await fetch(target + (request.url ?? ""), {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

test("an inbound message is answered at once, recorded, and replied to from the number it was sent to", async (t) => {
  const { text, advance, replyDue, twilio, list, transcript, agent, requests } = await start(t, {
    promptTemplate: "You speak.",
    messagingConfig: { smsPrompt: "You write to {{from_number}} for {{shop}}." },
    defaultVariables: { shop: "Miller" },
  });
  const answer = await text("When are you open?");
  assert.deepEqual(
    [answer.status, answer.contentType, answer.body],
    [200, "text/xml; charset=utf-8", "<Response/>"],
  );
  await replyDue();
  assert.equal(twilio.messages.length, 0);
  advance(2_000);
  await replyDue();
  const [sent] = twilio.messages;
  assert.deepEqual(
    [sent?.from, sent?.to, sent?.body],
    [OWN_NUMBER, CUSTOMER, "You said: When are you open?"],
  );
  assert.equal(requests[0]?.messages[0]?.content, `You write to ${CUSTOMER} for Miller.`);
  const [inbound, outbound] = await list();
  assert.deepEqual(
    [inbound?.direction, inbound?.status, inbound?.generatedByLlm, inbound?.agentId],
    ["INBOUND", "received", false, agent.id],
  );
  assert.deepEqual(
    [outbound?.direction, outbound?.generatedByLlm, outbound?.conversationId],
    ["OUTBOUND", true, inbound?.conversationId],
  );
  assert.deepEqual(await transcript(inbound?.conversationId), [
    ["user", "When are you open?"],
    ["agent", "You said: When are you open?"],
  ]);
});

test("a message that the provider repeats is one message", async (t) => {
  const { text, advance, replyDue, twilio, list } = await start(t);
  const sid = `SM${"1".repeat(32)}`;
  const answers = await Promise.all([1, 2, 3].map(async () => await text("Hi", CUSTOMER, { sid })));
  for (const { status } of answers) assert.equal(status, 200);
  advance(2_000);
  await replyDue();
  await text("Hi", CUSTOMER, { sid });
  advance(2_000);
  await replyDue();
  assert.deepEqual([(await list()).length, twilio.messages.length], [2, 1]);
});

test("messages in quick succession get one reply, in the order of their arrival", async (t) => {
  const { text, advance, replyDue, twilio, requests } = await start(t);
  for (const part of ["I want", "to order", "two loaves"]) {
    await text(part);
    advance(1_500);
    await replyDue();
  }
  assert.equal(twilio.messages.length, 0);
  advance(500);
  await replyDue();
  assert.equal(requests.length, 1);
  assert.match(JSON.stringify(requests[0]?.messages), /I want.*to order.*two loaves/);
  assert.equal(twilio.messages.length, 1);
});

test("a message that arrives while a reply is written is part of that reply", async (t) => {
  let arrive: () => Promise<unknown> = async () => undefined;
  const { text, advance, replyDue, twilio, list } = await start(t, {}, repeatWords, () => false, {
    beforeAnswer: async () => await arrive(),
  });
  await text("one");
  advance(2_000);
  arrive = async () => await text("two");
  await replyDue();
  assert.equal((await list("direction=OUTBOUND")).length, 0);
  arrive = async () => undefined;
  advance(2_000);
  await replyDue();
  assert.equal(twilio.messages.length, 1);
  await replyDue();
  assert.equal(twilio.messages.length, 1);
});

test("a node that lost its claim stores nothing", async (t) => {
  const { text, advance, replyDue, twilio, list, server } = await start(t);
  await text("one");
  advance(2_000);
  const lost = await server.modules.messageReplies.claim();
  assert.ok(lost !== undefined);
  advance(30_000);
  await replyDue();
  await server.modules.messageReplies.run(lost);
  await replyDue();
  assert.deepEqual([twilio.messages.length, (await list()).length], [1, 2]);
});

test("STOP silences the agent for this number until START, and HELP is left to the provider", async (t) => {
  const { text, advance, replyDue, twilio, server, agent, list } = await start(t);
  const exchange = async (body: string, from = CUSTOMER): Promise<number> => {
    await text(body, from);
    advance(3_000);
    await replyDue();
    return twilio.messages.length;
  };
  assert.equal(await exchange("HELP"), 0);
  assert.equal(await exchange("Stop"), 0);
  assert.equal(await exchange("Are you there?"), 0);
  const request = { agentId: agent.id, toNumber: CUSTOMER, body: "Hello" };
  assertRefused(await server.request("POST", "/messages", request), "destination_not_allowed");
  assert.equal(await exchange("Hi", OTHER), 1);
  assert.equal(await exchange("yes"), 1);
  assert.equal(await exchange("yes"), 2);
  assert.equal((await list("direction=INBOUND")).length, 6);
});

test("a tool is called once, also if the model fails after it", async (t) => {
  const calls = await startReceiver(t, (response) => void response.end("open until six"));
  const answer: Answer = ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? { text: "Until six." }
      : { toolCalls: [{ name: "look_up", input: { day: "Monday" } }] };
  // The second request and its repetition fail.
  const isFailing = (index: number): boolean => index === 1 || index === 2;
  const { text, advance, replyDue, twilio, list, transcript, server, agent } = await start(
    t,
    {},
    answer,
    isFailing,
  );
  const { secret } = await server.modules.signingSecrets.rotate(server.organizationId);
  await server.request("POST", `/agents/${agent.id}/custom-tools`, {
    name: "look_up",
    webhookUrl: calls.url,
    schema: {
      description: "Looks up.",
      parameters: { type: "object", properties: { day: { type: "string" } } },
    },
  });
  await text("Until when?");
  advance(2_000);
  await replyDue();
  assert.equal(twilio.messages.length, 0);
  advance(5_000);
  await replyDue();
  const [call, ...more] = calls.requests;
  assert.ok(call !== undefined && more.length === 0 && isSignedWith(secret, call));
  const { channel, callId, fromNumber } = JSON.parse(call.body) as Record<string, unknown>;
  assert.deepEqual([channel, callId, fromNumber], ["sms", null, CUSTOMER]);
  assert.equal(twilio.messages[0]?.body, "Until six.");
  const [inbound] = await list();
  assert.deepEqual(
    (await transcript(inbound?.conversationId)).map(([kind]) => kind),
    ["user", "tool_call", "tool_result", "agent"],
  );
});

test("a model that stays away is tried again, and the conversation says in the end why there is no reply", async (t) => {
  const { text, advance, replyDue, twilio, list, transcript } = await start(t, {}, repeatWords, () => true);
  await text("Hi");
  for (const seconds of [2, 5, 20, 60, 300]) {
    advance(seconds * 1000);
    await replyDue();
  }
  const [inbound] = await list();
  const [user, reason] = await transcript(inbound?.conversationId);
  assert.deepEqual([user, reason?.[0], twilio.messages.length], [["user", "Hi"], "system", 0]);
  assert.match(reason?.[1] ?? "", /No reply/);
});

test("webhook mode only forwards, off mode only records, and each message is announced once, signed", async (t) => {
  const receiver = await startReceiver(t, (response) => void response.end());
  const { text, advance, replyDue, twilio, list, server, agent } = await start(t);
  const patch = async (messagingConfig: object) =>
    await server.request("PATCH", `/agents/${agent.id}`, { messagingConfig });
  assertRefused(await patch({ inboundMode: "webhook" }), "invalid_body", "messagingConfig.inboundWebhookUrl");
  for (const messagingConfig of [
    { inboundMode: "webhook", inboundWebhookUrl: receiver.url },
    { inboundMode: "off" },
  ]) {
    read(await patch(messagingConfig));
    await text("Hi");
    advance(3_000);
    await replyDue();
  }
  assert.equal(twilio.messages.length, 0);
  assert.equal((await list("direction=INBOUND")).length, 2);
  const { body } = await server.request("GET", "/webhooks/deliveries?type=message.received&sort=asc");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the conformance tests check it
  const deliveries = (body as { data: { messageId: string; agentId: string; id: string }[] }).data;
  const [first] = await list("direction=INBOUND");
  assert.deepEqual(
    [deliveries.length, deliveries[0]?.messageId, deliveries[0]?.agentId],
    [2, first?.id, agent.id],
  );
  const detail = read<{ body: string }>(
    await server.request("GET", `/webhooks/deliveries/${deliveries[0]?.id ?? ""}`),
  );
  const event = JSON.parse(detail.body) as { type: string; data: Record<string, unknown> };
  assert.deepEqual(
    [event.type, event.data["body"], event.data["fromNumber"], event.data["conversationId"]],
    ["message.received", "Hi", CUSTOMER, first?.conversationId],
  );
});

test("files are recorded and named, and the agent replies to them", async (t) => {
  const { text, advance, replyDue, twilio, list } = await start(t);
  const parameters = {
    NumMedia: "1",
    MediaUrl0: "https://api.twilio.com/m/1",
    MediaContentType0: "image/jpeg",
  };
  await text("", CUSTOMER, { parameters });
  advance(2_000);
  await replyDue();
  assert.deepEqual((await list("direction=INBOUND"))[0]?.media, [
    { url: "https://api.twilio.com/m/1", contentType: "image/jpeg" },
  ]);
  assert.equal(twilio.messages[0]?.body, "You said: [sent image/jpeg]");
});

test("a message with characters that PostgreSQL does not store is recorded without them", async (t) => {
  const { text, list } = await start(t);
  const parameters = {
    NumMedia: "1",
    MediaUrl0: "https://api.twilio.com/m/1\0",
    MediaContentType0: "image/\0png",
  };
  await text("Hi\0", CUSTOMER, { parameters });
  const [message] = await list("direction=INBOUND");
  assert.equal(message?.body, "Hi");
  assert.deepEqual(message.media, [{ url: "https://api.twilio.com/m/1", contentType: "image/png" }]);
});

test("a new conversation begins after conversationIdleResetDays, and continues before", async (t) => {
  const { text, advance, replyDue, list, requests, server } = await start(t, {
    messagingConfig: { conversationIdleResetDays: 2 },
  });
  const DAY_MS = 24 * 3600_000;
  for (const days of [0, 1, 3]) {
    advance(days * DAY_MS);
    await text(`after ${days}`);
    advance(2_000);
    await replyDue();
  }
  const ids = (await list("direction=INBOUND")).map(({ conversationId }) => conversationId);
  const endOf = async (id: string | null | undefined) =>
    read<ConversationDetail>(await server.request("GET", `/conversations/${id}`)).endReason;
  assert.deepEqual([await endOf(ids[0]), await endOf(ids[2])], ["idle", null]);
  await server.modules.messages.endIdle();
  assert.equal(await endOf(ids[2]), null);
  advance(3 * DAY_MS);
  await server.modules.messages.endIdle();
  assert.equal(await endOf(ids[2]), "idle");
  assert.equal(ids[0], ids[1]);
  assert.notEqual(ids[1], ids[2]);
  assert.deepEqual(
    requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length),
    [1, 2, 1],
  );
});

test("an instruction has the agent write at once, and a deleted conversation leaves no message", async (t) => {
  const { text, advance, replyDue, twilio, list, server, requests } = await start(t);
  await text("Hi");
  advance(2_000);
  await replyDue();
  const [{ conversationId } = { conversationId: null }] = await list();
  const path = `/conversations/${conversationId}`;
  const instruction = { instruction: "Offer tea.", speak: true };
  read(await server.request("POST", `${path}/instructions`, instruction), 202);
  // The pace of the number.
  advance(1_000);
  await replyDue();
  assert.equal(twilio.messages.length, 2);
  assert.match(JSON.stringify(requests[1]?.messages), /Offer tea\./);
  read(await server.request("DELETE", path));
  assert.deepEqual(await list(), []);
  assertRefused(await server.request("POST", `${path}/instructions`, instruction), "not_found");
  await text("Hello again");
  advance(2_000);
  await replyDue();
  assert.equal(twilio.messages.length, 3);
});

test("a number of no agent, inactive billing and a disabled agent are recorded and not answered", async (t) => {
  const { text, advance, replyDue, twilio, list, server, agent, inboundMessageUrl } = await start(t);
  await twilio.deliver(inboundMessageUrl, { from: CUSTOMER, to: "+14155550177", body: "Hi" });
  advance(1);
  await server.modules.organizations.setBillingActive(server.organizationId, false);
  await text("Hi");
  advance(3_000);
  await replyDue();
  await server.modules.organizations.setBillingActive(server.organizationId, true);
  read(await server.request("PATCH", `/agents/${agent.id}`, { status: "disabled" }));
  await text("Hi again");
  advance(3_000);
  await replyDue();
  assert.equal(twilio.messages.length, 0);
  const messages = await list();
  assert.deepEqual(
    messages.map(({ agentId }) => agentId),
    [null, agent.id, agent.id],
  );
});

test("replies run what is published, and a draft changes nothing", async (t) => {
  const { text, advance, replyDue, server, agent, requests } = await start(t, {
    messagingConfig: { smsPrompt: "Published." },
  });
  read(await server.request("PATCH", `/agents/${agent.id}`, { publishMode: "manual" }));
  read(await server.request("PATCH", `/agents/${agent.id}`, { messagingConfig: { smsPrompt: "Draft." } }));
  await text("Hi");
  advance(2_000);
  await replyDue();
  assert.equal(requests[0]?.messages[0]?.content, "Published.");
});

test("a long reply is sent in parts, in order", async (t) => {
  const sentence = "This is a sentence of forty characters. ";
  const { text, advance, replyDue, twilio } = await start(t, {}, () => ({ text: sentence.repeat(100) }));
  await text("Tell me everything.");
  for (let round = 0; round < 5; round++) {
    advance(2_000);
    await replyDue();
  }
  assert.equal(twilio.messages.length, 3);
  assert.ok(twilio.messages.every(({ body }) => body.length <= 1600 && body.endsWith(".")));
});

test("two machines that answer each other stop after a number of messages within an hour", async (t) => {
  const { text, advance, replyDue, twilio } = await start(t);
  for (let round = 0; round < 65; round++) {
    await text("ping");
    advance(2_000);
    await replyDue();
  }
  assert.equal(twilio.messages.length, 60);
  advance(3600_000);
  await text("ping");
  advance(2_000);
  await replyDue();
  assert.equal(twilio.messages.length, 61);
});
