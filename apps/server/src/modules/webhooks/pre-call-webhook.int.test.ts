import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import test, { type TestContext } from "node:test";
import type { CallPreData } from "@parley/contract";
import { systemClock } from "../../platform/clock.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { PreCallWebhook } from "./pre-call-webhook.ts";
import { isSigned, isSignedWith, openDeliveries } from "./testing.ts";

const never = new AbortController().signal;

async function open(t: TestContext, respond: (response: ServerResponse) => void) {
  const all = await openDeliveries(t, respond);
  const { database, sender, webhooks, organizationId, receiver, deliveries } = all;
  const logger = createLogger({ level: "silent" });
  const preCall = new PreCallWebhook({ database, sender, webhooks, clock: systemClock, logger });
  const data: CallPreData = {
    id: randomUUID(),
    conversationId: randomUUID(),
    agentId: randomUUID(),
    environment: null,
    channel: "phone",
    direction: "inbound",
    fromNumber: "+14155550100",
    toNumber: "+14155550123",
    variables: { customer: "Ada" },
    campaignId: null,
    isTest: false,
  };
  return {
    ...all,
    data,
    ask: async (signal = never) => await preCall.ask({ organizationId, url: receiver.url, data }, signal),
    logged: async () => {
      const query = { page: 1, pageSize: 10, sort: "asc", callId: data.id } as const;
      const { data: found } = await deliveries.list(organizationId, query);
      return await Promise.all(found.map(async ({ id }) => await deliveries.get(organizationId, id)));
    },
  };
}

test("the server gets the call's data, signed by both secrets of a rotation, and its answer is used", async (t) => {
  const answer = { variables: { tier: "gold" }, firstMessage: "Hello Ada." };
  const { organizationId, signingSecrets, receiver, data, ask, logged } = await open(
    t,
    (response) => void response.end(JSON.stringify(answer)),
  );
  await ask();
  const first = await signingSecrets.rotate(organizationId);
  const second = await signingSecrets.rotate(organizationId);
  assert.deepEqual(await ask(), { answer, problems: [] });
  const [unsigned, request] = receiver.requests;
  assert.ok(unsigned !== undefined && !isSigned(unsigned) && request !== undefined);
  for (const { secret } of [first, second]) assert.ok(isSignedWith(secret, request));
  const { type, id, data: told } = JSON.parse(request.body);
  assert.deepEqual([type, id, told], ["call.pre", request.headers["webhook-id"], data]);
  const [, delivery] = await logged();
  assert.deepEqual(
    [delivery?.id, delivery?.status, delivery?.attempts, delivery?.nextAttemptAt, delivery?.body],
    [id, "delivered", 1, null, request.body],
  );
  assert.equal(delivery?.attemptLog[0]?.answer, JSON.stringify(answer));
});

test("without a usable answer the call continues without one, and the log says why", async (t) => {
  const { receiver, ask, logged } = await open(t, () => {});
  const outcomes: [(response: ServerResponse) => void, RegExp, string][] = [
    [(response) => void response.writeHead(500).end("{}"), /^HTTP status 500$/, "failed"],
    [
      (response) => void response.writeHead(307, { location: receiver.url }).end(),
      /^HTTP status 307$/,
      "failed",
    ],
    [(response) => void response.end("x".repeat(10_000_000)), /more than 1 MiB$/, "delivered"],
    [
      (response) => {
        response.writeHead(200, { "content-length": "100" }).write('{"firstMessage":');
        setTimeout(() => response.destroy(), 20);
      },
      /^the connection failed: /,
      "failed",
    ],
    [() => {}, /^no answer within 5000 ms$/, "failed"],
  ];
  for (const [respond, problem] of outcomes) {
    receiver.respond = respond;
    const { answer, problems } = await ask();
    assert.deepEqual([answer, problems.length], [{}, 1]);
    assert.match(problems[0] ?? "", problem);
  }
  receiver.stop();
  assert.match((await ask()).problems[0] ?? "", /ECONNREFUSED/);
  const statuses = (await logged()).map(({ status, attempts }) => `${status} ${attempts}`);
  assert.deepEqual(statuses, [...outcomes.map(([, , status]) => `${status} 1`), "failed 1"]);
});

test("an ended call does not wait for an answer", async (t) => {
  const { ask, logged } = await open(t, () => abort.abort());
  const abort = new AbortController();
  assert.deepEqual((await ask(abort.signal)).answer, {});
  const [delivery] = await logged();
  assert.equal(delivery?.attemptLog[0]?.problem, "the call ended before the answer arrived");
});

test("during a database outage the call continues without asking", async (t) => {
  const { signingSecrets, ask } = await open(t, (response) => void response.end('{"reject":{}}'));
  t.mock.method(signingSecrets, "findSecrets", async () => await Promise.reject(new Error("away")));
  assert.deepEqual(await ask(), { answer: {}, problems: ["the request could not be sent"] });
});
