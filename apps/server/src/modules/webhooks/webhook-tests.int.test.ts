import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AgentCreation, webhookBodySchema, webhooks, type WebhookTest } from "@parley/contract";
import { Errors } from "typebox/value";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, type TestServerOptions } from "../testing.ts";
import { isSignedWith, startReceiver } from "./testing.ts";

async function start(t: TestContext, options: TestServerOptions = { isPrivateWebhookAllowed: true }) {
  const server = await createTestServer(options);
  t.after(async () => await server.close());
  const receiver = await startReceiver(t, (response) => void response.end('{"ok":true}'));
  const create = async (fields: Partial<AgentCreation> = {}): Promise<string> =>
    (await server.modules.agents.create(server, { name: "Ada", ...fields })).id;
  const send = async (body: object): Promise<WebhookTest> => {
    const response = await server.request("POST", "/webhooks/test", body);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return (response.body as { data: WebhookTest }).data;
  };
  return { server, receiver, create, send };
}

const ANALYSIS = {
  postCallExtraction: [
    { name: "size", type: "enum" as const, description: "Size", options: ["small", "large"] },
    { name: "day", type: "date" as const, description: "Day" },
  ],
  postCallEvaluation: [{ name: "polite", criterion: "Is polite." }],
};

test("a sample of each event arrives as the contract describes it, signed, and is in no log", async (t) => {
  const { server, receiver, create, send } = await start(t);
  const { secret } = await server.modules.signingSecrets.rotate(server.organizationId);
  const agentId = await create({
    preCallWebhookUrl: `${receiver.url}?pre`,
    postCallWebhookUrl: `${receiver.url}?post`,
    defaultVariables: { shop: "north" },
    ...ANALYSIS,
  });
  for (const type of ["call.pre", "call.post"] as const) {
    const result = await send({ agentId, type });
    const request = receiver.requests.at(-1) ?? assert.fail("nothing was sent");
    assert.equal(`http://${request.headers.host}${request.url}`, result.url);
    assert.equal(request.body, result.body);
    assert.equal(request.headers["webhook-id"], result.id);
    assert.ok(isSignedWith(secret, request));
    const definition = webhooks.find((each) => each.type === type) ?? assert.fail();
    const event = JSON.parse(request.body) as { data: { agentId: string; isTest: boolean } };
    assert.deepEqual(Errors(webhookBodySchema(definition), event), []);
    assert.deepEqual([event.data.agentId, event.data.isTest], [agentId, true]);
    assert.deepEqual([result.answerStatus, result.answer, result.problem], [200, '{"ok":true}', null]);
    assert.ok(result.durationMs >= 0 && Date.parse(result.startedAt) > 0);
  }
  const { data } = JSON.parse(receiver.requests.at(-1)?.body ?? "") as { data: Record<string, object> };
  assert.deepEqual(data["extraction"], { size: "small", day: new Date().toISOString().slice(0, 10) });
  assert.deepEqual(data["evaluation"], [{ name: "polite", result: "pass", reason: "This is a test." }]);
  const log = await server.request("GET", "/webhooks/deliveries");
  assert.equal((log.body as { total: number }).total, 0);
});

test("the answer to call.pre is read as for a call, and what a call would ignore is named", async (t) => {
  const { receiver, create, send } = await start(t);
  const agentId = await create({ preCallWebhookUrl: receiver.url });
  receiver.respond = (response) =>
    void response.end('{"firstMessage":"Hi","variables":{"a":1,"two words":2},"color":"red"}');
  const { preCallAnswer, preCallProblems } = await send({ agentId, type: "call.pre" });
  assert.deepEqual(preCallAnswer, { firstMessage: "Hi", variables: { a: 1 } });
  assert.deepEqual(preCallProblems, ["variables.two words is invalid", "color is not a known field"]);
});

test("a refusal, a redirect and a server that is away are results with their reason", async (t) => {
  const { receiver, create, send } = await start(t);
  const agentId = await create({ postCallWebhookUrl: receiver.url });
  for (const status of [500, 302]) {
    receiver.respond = (response) =>
      void response.writeHead(status, { location: receiver.url }).end("x".repeat(5_000));
    const before = receiver.requests.length;
    const { answerStatus, answer, problem } = await send({ agentId });
    assert.deepEqual([answerStatus, problem], [status, `HTTP status ${status}`]);
    assert.equal(answer?.length, 2_000);
    assert.equal(receiver.requests.length, before + 1);
  }
  receiver.stop();
  const away = await send({ agentId, type: null });
  assert.deepEqual([away.type, away.answerStatus, away.answer], ["call.post", null, null]);
  assert.match(away.problem ?? "", /ECONNREFUSED/);
});

test("a private address is not contacted", async (t) => {
  const { receiver, create, send } = await start(t, {});
  const agentId = await create({ postCallWebhookUrl: receiver.url });
  const { answerStatus, problem } = await send({ agentId });
  assert.equal(answerStatus, null);
  assert.match(problem ?? "", /is not a public address/);
  assert.equal(receiver.requests.length, 0);
});

test("an agent without a URL, or of another organization, is refused", async (t) => {
  const { server, receiver, create } = await start(t);
  const { request } = server;
  const agentId = await create({ postCallWebhookUrl: receiver.url });
  const url = "/webhooks/test";
  assertRefused(await request("POST", url, { agentId, type: "call.pre" }), "invalid_body", "type");
  assertRefused(await request("POST", url, { agentId, type: "call.mid" }), "invalid_body", "type");
  const { apiKey } = await server.createOrganization();
  assertRefused(await request("POST", url, { agentId }, apiKey), "invalid_body", "agentId");
  assert.equal(receiver.requests.length, 0);
});
