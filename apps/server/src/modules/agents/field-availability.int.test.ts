/** Fields that have no effect yet accept only their defaults, and values that an earlier release stored. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Agent, type AgentChange, agentFields, defaultsOf } from "@parley/contract";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, storeAgentFields, type TestResponse, type TestServer } from "../testing.ts";

const UNAVAILABLE: readonly [path: string, change: AgentChange][] = [
  [
    "transferRoutes.0.waitForHumanSeconds",
    { transferRoutes: [{ to_number: "+14155550123", condition: "always", waitForHumanSeconds: 5 }] },
  ],
  ["transferMode", { transferMode: "warm" }],
  ["warmTransferConfig.callerIdMode", { warmTransferConfig: { callerIdMode: "caller" } }],
];

async function start(context: TestContext): Promise<TestServer & { agentId: string }> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const { id: agentId } = await server.modules.agents.create(server, { name: "Ada" });
  return { ...server, agentId };
}

function agentIn({ status, body }: TestResponse): Agent {
  assert.ok(status < 300, JSON.stringify(body));
  return (body as { data: Agent }).data;
}

test("a creation and a change are refused with the path of each field without an effect", async (context) => {
  const { request, agentId } = await start(context);
  for (const [path, change] of UNAVAILABLE) {
    const patched = await request("PATCH", `/agents/${agentId}`, change);
    assertRefused(patched, "invalid_body", path);
    assert.match(JSON.stringify(patched.body), /not available yet/);
    assertRefused(await request("POST", "/agents", { name: "Bea", ...change }), "invalid_body", path);
  }
  const { revision } = agentIn(await request("GET", `/agents/${agentId}`)) as Agent & { revision?: number };
  assert.equal(revision, undefined);
  const versions = await request("GET", `/agents/${agentId}/revisions`);
  assert.equal((versions.body as { total: number }).total, 1);
});

test("the defaults are accepted, in full and as null", async (context) => {
  const { request, agentId } = await start(context);
  const defaults = defaultsOf(agentFields);
  agentIn(await request("POST", "/agents", { name: "Bea", ...defaults }));
  const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
  for (const body of [defaults, nulls]) agentIn(await request("PATCH", `/agents/${agentId}`, body));
});

test("values that an earlier release stored can be sent back, copied and reset, but not changed", async (context) => {
  const server = await start(context);
  const { request, modules, agentId, organizationId } = server;
  await modules.environments.put(organizationId, agentId, "staging", {});
  const stored = {
    transferMode: "warm" as const,
    widgetConfig: { enabled: true, environment: "staging" },
  };
  await storeAgentFields(server, agentId, stored);
  const given = agentIn(await request("GET", `/agents/${agentId}`));
  const same = agentIn(await request("PATCH", `/agents/${agentId}`, { ...given, name: "Bea" }));
  assert.deepEqual({ ...same, updatedAt: 0 }, { ...given, name: "Bea", updatedAt: 0 });
  const copy = agentIn(await request("POST", "/agents", given));
  assert.deepEqual(
    [copy.transferMode, copy.widgetConfig],
    ["warm", { ...given.widgetConfig, environment: null }],
  );
  const { id: _id, ...unnamed } = given;
  assertRefused(await request("POST", "/agents", unnamed), "invalid_body", "transferMode");
  const other = await server.createOrganization();
  assertRefused(await request("POST", "/agents", given, other.apiKey), "invalid_body", "transferMode");
  const path = `/agents/${agentId}`;
  const reset = { transferMode: null, widgetConfig: null };
  const after = agentIn(await request("PATCH", path, reset));
  assert.equal(after.transferMode, defaultsOf(agentFields).transferMode);
  assertRefused(await request("PATCH", path, { transferMode: "warm" }), "invalid_body", "transferMode");
});

test("a restore leaves out values of fields without an effect, and names them", async (context) => {
  const server = await start(context);
  const { request, agentId } = server;
  await storeAgentFields(server, agentId, {
    firstMessage: "Hello",
    transferMode: "warm",
    widgetConfig: { enabled: true },
  });
  agentIn(await request("PATCH", `/agents/${agentId}`, { firstMessage: "Bye", transferMode: null }));
  const restored = await request("POST", `/agents/${agentId}/revisions/2/restore`);
  assert.equal(restored.status, 200);
  const { agent, notRestored } = (restored.body as { data: { agent: Agent; notRestored: string[] } }).data;
  assert.deepEqual(notRestored, ["transferMode"]);
  // The widget is as the version has it.
  assert.deepEqual(
    [agent.firstMessage, agent.transferMode, agent.widgetConfig.enabled],
    ["Hello", defaultsOf(agentFields).transferMode, true],
  );
  const first = await request("POST", `/agents/${agentId}/revisions/1/restore`);
  const { data } = first.body as { data: { agent: Agent; notRestored: string[] } };
  assert.deepEqual([data.notRestored, data.agent.widgetConfig.enabled], [[], false]);
});
