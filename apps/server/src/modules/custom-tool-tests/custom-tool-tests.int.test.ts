import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { CustomToolCreation, CustomToolTest, ToolRequest } from "@parley/contract";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, type TestServerOptions } from "../testing.ts";
import { isSignedWith, startReceiver } from "../webhooks/testing.ts";

async function start(t: TestContext, options: TestServerOptions = { isPrivateWebhookAllowed: true }) {
  const server = await createTestServer(options);
  t.after(async () => await server.close());
  const receiver = await startReceiver(t, (response) => void response.end('{"state":"sent"}'));
  const { modules } = server;
  const { id: agentId } = await modules.agents.create(server, {
    name: "Ada",
    defaultVariables: { shop: "north", token: "default" },
    testVariables: { token: "test" },
  });
  const create = async (fields: Partial<CustomToolCreation> = {}): Promise<string> => {
    const tool = await modules.customTools.create(server, agentId, {
      name: `tool_${randomUUID()}`,
      webhookUrl: `${receiver.url}/{{shop}}`,
      schema: {
        description: "Looks up.",
        parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      },
      headers: [{ key: "Authorization", value: "Bearer {{token}}" }],
      ...fields,
    });
    return `/agents/${agentId}/custom-tools/${tool.id}/test`;
  };
  const call = async (url: string, body?: object): Promise<CustomToolTest> => {
    const response = await server.request("POST", url, body);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return (response.body as { data: CustomToolTest }).data;
  };
  return { server, receiver, agentId, create, call };
}

test("the request is that of a test call: rendered, signed, and shown as it was sent", async (t) => {
  const { server, receiver, agentId, create, call } = await start(t);
  const { secret } = await server.modules.signingSecrets.rotate(server.organizationId);
  const url = await create();
  const result = await call(url, { arguments: { number: "7" }, variables: { shop: "a/b" } });
  const [request] = receiver.requests;
  assert.ok(request !== undefined && isSignedWith(secret, request));
  assert.equal(request.url, "/hook/a%2Fb");
  assert.equal(request.headers.authorization, "Bearer test");
  const body = JSON.parse(request.body) as ToolRequest;
  assert.deepEqual(
    [body.arguments, body.callId, body.channel, body.agentId, body.environment],
    [{ number: "7" }, null, "web", agentId, null],
  );
  assert.deepEqual(body.variables, { shop: "a/b", token: "test" });
  assert.deepEqual([result.request?.method, result.request?.body], ["POST", request.body]);
  assert.ok(result.request?.url.endsWith(request.url));
  for (const [name, value] of Object.entries(result.request?.headers ?? {}))
    assert.equal(request.headers[name], value, name);
  assert.deepEqual([result.status, result.answer, result.problem], [200, '{"state":"sent"}', null]);
});

test("each method sends the arguments where a call would, and a disabled tool is called too", async (t) => {
  const { receiver, create, call } = await start(t);
  for (const [httpMethod, expected] of [
    ["GET", "?number=7"],
    ["DELETE", '"number":"7"'],
  ] as const) {
    const result = await call(await create({ httpMethod, enabled: false }), { arguments: { number: "7" } });
    const request = receiver.requests.at(-1);
    assert.ok(`${request?.url} ${request?.body}`.includes(expected), httpMethod);
    assert.equal(result.request?.body ?? "", request?.body);
  }
});

test("what the language model would get as a failure is the problem", async (t) => {
  const { receiver, create, call } = await start(t);
  const url = await create();
  const invalid = await call(url, { arguments: { number: 7 } });
  assert.deepEqual([invalid.request, invalid.status, invalid.answer], [null, null, null]);
  assert.match(invalid.problem ?? "", /invalid arguments/);
  assert.match((await call(url)).problem ?? "", /invalid arguments/);
  receiver.respond = (response) => void response.writeHead(404).end("unknown order");
  const refused = await call(url, { arguments: { number: "7" } });
  assert.deepEqual([refused.status, refused.problem], [404, "HTTP status 404: unknown order"]);
  receiver.stop();
  const away = await call(url, { arguments: { number: "7" } });
  assert.deepEqual([away.status, away.answer], [null, null]);
  assert.match(away.problem ?? "", /ECONNREFUSED/);
});

test("a private address is not contacted", async (t) => {
  const { receiver, create, call } = await start(t, {});
  const result = await call(await create(), { arguments: { number: "7" } });
  assert.match(result.problem ?? "", /is not a public address/);
  assert.equal(receiver.requests.length, 0);
});

test("a tool runs as the requested environment has it, and is unknown to others", async (t) => {
  const { server, receiver, agentId, create, call } = await start(t);
  const { modules, request, organizationId } = server;
  const url = await create();
  await modules.environments.put(organizationId, agentId, "staging", { variables: { token: "staging" } });
  await call(url, { arguments: { number: "7" }, environment: "staging" });
  assert.equal(receiver.requests.at(-1)?.headers.authorization, "Bearer staging");
  const unknown = await request("POST", url, { environment: "nope" });
  assertRefused(unknown, "environment_not_found");
  const { apiKey } = await server.createOrganization();
  assertRefused(await request("POST", url, {}, apiKey), "not_found");
  assertRefused(
    await request("POST", `/agents/${agentId}/custom-tools/${randomUUID()}/test`, {}),
    "not_found",
  );
});
