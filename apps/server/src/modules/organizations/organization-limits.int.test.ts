import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { type LimitsUpdate, organizationLimits } from "@parley/contract";
import {
  createTestLine,
  createTestServer,
  inboundCall,
  type TestResponse,
  type TestServer,
} from "../testing.ts";

async function open(context: TestContext, limits: LimitsUpdate = {}): Promise<TestServer> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  await limit(server, limits);
  return server;
}

async function limit({ database, modules, organizationId }: TestServer, limits: LimitsUpdate): Promise<void> {
  await database.transaction(
    async (transaction) => await modules.organizationLimits.override(transaction, organizationId, limits),
  );
}

const errorOf = ({ status, body }: TestResponse): unknown[] => [status, (body as { error?: string }).error];

test("an organization sees its limits, of which the operator has changed some", async (context) => {
  const server = await open(context, { agents: 5, sipTrunks: 7 });
  await limit(server, { sipTrunks: null, callsPerMinute: 9 });
  const { body } = await server.request("GET", "/organization");
  const defaults = Object.fromEntries(
    Object.entries(organizationLimits).map(([name, each]) => [name, each.default]),
  );
  assert.deepEqual((body as { data: { limits: object } }).data.limits, {
    ...defaults,
    agents: 5,
    callsPerMinute: 9,
  });
});

test("trunks, agents and numbers are created up to the limit, however many requests come at once", async (context) => {
  const server = await open(context, { sipTrunks: 3, agents: 3, phoneNumbers: 3 });
  const { modules, organizationId, actor } = server;
  const all = Array.from({ length: 12 }, (_, index) => index);
  const trunks = await Promise.all(
    all.map(async (index) => await server.request("POST", "/sip-trunks", { friendlyName: `Trunk ${index}` })),
  );
  const agents = await Promise.all(
    all.map(async (index) => await server.request("POST", "/agents", { name: `Agent ${index}` })),
  );
  const trunkList = await modules.sipTrunks.list(organizationId, { page: 1, pageSize: 2, sort: "asc" });
  const [trunk, unused] = trunkList.data;
  const [agent] = (await modules.agents.list(organizationId, { page: 1, pageSize: 1, sort: "asc" })).data;
  assert.ok(trunk !== undefined && unused !== undefined && agent !== undefined);
  await modules.agents.update({ organizationId, actor }, agent.id, { sipTrunkId: trunk.id });
  const path = `/agents/${agent.id}/phone-numbers`;
  const numbers = await Promise.all(
    all.map(async (index) => await server.request("POST", path, { e164: `+1415555${1000 + index}` })),
  );
  for (const answers of [trunks, agents, numbers]) {
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const each of refused) assert.deepEqual(errorOf(each), [409, "limit_reached"]);
  }
  // A place becomes free by a deletion, and another organization has its own.
  await server.request("DELETE", `/sip-trunks/${unused.id}`);
  const other = await server.createOrganization();
  for (const apiKey of [server.apiKey, other.apiKey]) {
    const created = await server.request("POST", "/sip-trunks", { friendlyName: "Trunk" }, apiKey);
    assert.equal(created.status, 201);
  }
});

test("calls at once are limited, in both directions and on all channels", async (context) => {
  const server = await open(context, { concurrentCalls: 2 });
  const { modules, organizationId } = server;
  const line = await createTestLine(server);
  const call = async () => await modules.calls.openInbound(inboundCall(organizationId, line));
  const opened = await Promise.allSettled(Array.from({ length: 6 }, call));
  const [first, ...others] = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  assert.ok(first !== undefined && others.length === 1);
  assert.ok(modules.callQuota.isExhausted(organizationId));
  const refused = await server.request("POST", `/agents/${line.agentId}/test-call`, {});
  assert.deepEqual(errorOf(refused), [429, "rate_limited"]);
  assert.equal(refused.headers["retry-after"], "5");
  const endedAt = new Date();
  await modules.calls.finish(first.callId, { status: "completed", endReason: "user_hangup", endedAt });
  await call();
});

test("calls per minute are limited, and the answer says when the next one may begin", async (context) => {
  const server = await open(context, { callsPerMinute: 2 });
  const { modules, organizationId, database } = server;
  const line = await createTestLine(server);
  const endedAt = new Date();
  for (let index = 0; index < 2; index += 1) {
    const { callId } = await modules.calls.openInbound(inboundCall(organizationId, line));
    await modules.calls.finish(callId, { status: "completed", endReason: "user_hangup", endedAt });
  }
  const refused = await server.request("POST", `/agents/${line.agentId}/test-call`, {});
  assert.deepEqual(errorOf(refused), [429, "rate_limited"]);
  const seconds = Number(refused.headers["retry-after"]);
  assert.ok(seconds > 50 && seconds <= 60, `${seconds} s`);
  await database.$client.query("update calls set created_at = created_at - interval '61 s'");
  await modules.calls.openInbound(inboundCall(organizationId, line));
});

test("repeated analyses are limited", async (context) => {
  const server = await open(context, { reanalysesPerHour: 0 });
  const refused = await server.request("POST", `/calls/${randomUUID()}/reanalyze`);
  assert.deepEqual(errorOf(refused), [429, "rate_limited"]);
  assert.equal(refused.headers["retry-after"], "3600");
  await limit(server, { reanalysesPerHour: 1 });
  // A request without effect does not count.
  for (const _ of [1, 2])
    assert.equal((await server.request("POST", `/calls/${randomUUID()}/reanalyze`)).status, 404);
});
