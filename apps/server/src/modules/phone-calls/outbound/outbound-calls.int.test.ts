import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import type { Call } from "@parley/contract";
import { waitFor } from "@parley/testing";
import type { OperatorUpdate } from "../../organizations/organizations.service.ts";
import { type TestServer, createTestServer, openTestCall, type TestResponse } from "../../testing.ts";

const FROM = "+14155550123";
const TO = "+14155550199";

interface Office {
  server: TestServer;
  agentId: string;
  trunkId: string;
  place: (fields?: object, headers?: Record<string, string>) => Promise<TestResponse>;
}

/** An organization whose agent can call in the United States. */
async function openOffice(): Promise<Office> {
  const server = await createTestServer();
  const { modules, organizationId } = server;
  const trunk = await modules.sipTrunks.create(organizationId, {
    friendlyName: "Trunk",
    proxyAddress: "127.0.0.1",
  });
  const agent = await modules.agents.create(server, {
    name: "Ada",
    sipTrunkId: trunk.id,
    defaultVariables: { season: "spring", place: "Berlin" },
  });
  await modules.phoneNumbers.add(server, agent.id, { e164: FROM });
  return {
    server,
    agentId: agent.id,
    trunkId: trunk.id,
    place: async (fields = {}, headers = {}) =>
      await server.request(
        "POST",
        "/calls",
        { agentId: agent.id, toNumber: TO, ...fields },
        undefined,
        headers,
      ),
  };
}

const atLeastOne = <T>(items: readonly T[]) => (items.length === 0 ? undefined : items);

function callIn({ body }: TestResponse): Call {
  const { data }: { data: Call } = JSON.parse(JSON.stringify(body));
  return data;
}

function assertRefused({ status, body }: TestResponse, expected: number, code: string, path?: string): void {
  const text = JSON.stringify(body);
  const refusal: { error: string; details?: { issues: { path: string }[] } } = JSON.parse(text);
  assert.deepEqual([status, refusal.error, refusal.details?.issues[0]?.path], [expected, code, path], text);
}

test("a call is recorded as queued and then dialed from the agent's first number", async () => {
  const { server, place, agentId, trunkId } = await openOffice();
  const answer = await place({ toNumber: "+1 (415) 555-0199", variables: { season: "autumn" } });
  assert.equal(answer.status, 201);
  const call = callIn(answer);
  assert.deepEqual([call.status, call.direction, call.channel], ["queued", "outbound", "phone"]);
  assert.deepEqual(
    [call.fromNumber, call.toNumber, call.agentId, call.sipTrunkId],
    [FROM, TO, agentId, trunkId],
  );
  assert.deepEqual([call.startedAt, call.environment, call.agentRevision], [null, null, null]);
  const [opened] = await waitFor("the call's media", () => atLeastOne(server.media.opened));
  assert.deepEqual([opened?.callId, opened?.conversation.toNumber], [call.id, TO]);
  const conversation = await server.request("GET", `/conversations/${call.conversationId}`);
  const { data } = JSON.parse(JSON.stringify(conversation.body));
  assert.deepEqual(data.variables, { season: "autumn", place: "Berlin" });
  await server.close();
});

test("an unknown agent, environment or caller ID is refused before anything is dialed", async () => {
  const { server, place } = await openOffice();
  assertRefused(await place({ agentId: randomUUID() }), 400, "invalid_body", "agentId");
  for (const environment of ["staging", "No slug!", "", "x".repeat(40)])
    assertRefused(await place({ environment }), 400, "environment_not_found");
  assertRefused(await place({ fromNumber: "+14155550124" }), 400, "from_number_not_on_trunk");
  assertRefused(await place({ toNumber: "+1" }), 400, "invalid_body", "toNumber");
  assertRefused(await place({ toNumber: "004930123456" }), 400, "invalid_body", "toNumber");
  assert.deepEqual(server.modules.activeCalls.ids, []);
  const { body } = await server.request("GET", "/calls");
  assert.equal(JSON.parse(JSON.stringify(body)).total, 0);
  await server.close();
});

test("the caller ID may be another number of the trunk, but not one of another trunk", async () => {
  const { server, place, trunkId } = await openOffice();
  const { modules, organizationId } = server;
  const colleague = await modules.agents.create(server, { name: "Grace", sipTrunkId: trunkId });
  await modules.phoneNumbers.add(server, colleague.id, { e164: "+14155550130" });
  assert.equal(callIn(await place({ fromNumber: "+14155550130" })).fromNumber, "+14155550130");
  const other = await modules.sipTrunks.create(organizationId, { friendlyName: "Other" });
  const stranger = await modules.agents.create(server, { name: "Joan", sipTrunkId: other.id });
  await modules.phoneNumbers.add(server, stranger.id, { e164: "+14155550131" });
  assertRefused(await place({ fromNumber: "+14155550131" }), 400, "from_number_not_on_trunk");
  await server.close();
});

test("calls go only to the home country, which further numbers do not change, or to countries that the operator allows", async () => {
  const { server, agentId, place } = await openOffice();
  const { modules, organizationId } = server;
  const setPolicy = async (policy: OperatorUpdate) =>
    await modules.organizations.operate(server.database, organizationId, policy);
  assert.equal((await place()).status, 201);
  await modules.phoneNumbers.add(server, agentId, { e164: "+4930123456" });
  const [first] = (await modules.agents.get(organizationId, agentId)).phoneNumbers;
  await modules.phoneNumbers.delete(server, agentId, first?.id ?? "");
  assertRefused(await place({ toNumber: "+4930123457" }), 400, "destination_not_allowed");
  await server.request("PATCH", "/organization", { allowedCountries: ["DE"] });
  assertRefused(await place({ toNumber: "+4930123457" }), 400, "destination_not_allowed");
  await setPolicy({ allowedCountries: ["DE"] });
  assert.equal((await place({ toNumber: "+4930123457" })).status, 201);
  assertRefused(await place(), 400, "destination_not_allowed");
  const nowhere = setPolicy({ allowedCountries: ["DE", "XX"] });
  await assert.rejects(nowhere, { code: "invalid_body" });
  await setPolicy({ allowedCountries: null });
  assert.equal((await place()).status, 201);
  const { body } = await server.request("GET", "/organization");
  const { data } = JSON.parse(JSON.stringify(body));
  assert.deepEqual([data.homeCountry, data.allowedCountries, data.isPremiumRateAllowed], ["US", null, false]);
  await setPolicy({ homeCountry: "DE" });
  assertRefused(await place(), 400, "destination_not_allowed");
  await server.close();
});

test("premium-rate numbers are called only if the operator allows them", async () => {
  const { server, place } = await openOffice();
  const { modules, organizationId } = server;
  assertRefused(await place({ toNumber: "+19002345678" }), 400, "destination_not_allowed");
  await modules.organizations.operate(server.database, organizationId, { isPremiumRateAllowed: true });
  assert.equal((await place({ toNumber: "+19002345678" })).status, 201);
  await server.close();
});

test("emergency numbers are refused, extensions are not", async () => {
  const { server, place } = await openOffice();
  for (const toNumber of ["911", "112", "9911"])
    assertRefused(await place({ toNumber }), 400, "destination_not_allowed");
  for (const toNumber of ["7001", "reception"]) assert.equal((await place({ toNumber })).status, 201);
  await server.close();
});

test("an agent without a number can call only with a caller ID", async () => {
  const { server, place, trunkId } = await openOffice();
  const { id: agentId } = await server.modules.agents.create(server, { name: "Grace", sipTrunkId: trunkId });
  assertRefused(await place({ agentId }), 409, "agent_not_callable");
  assert.equal((await place({ agentId, fromNumber: FROM })).status, 201);
  assertRefused(await place({ agentId, fromNumber: "+14155550124" }), 400, "from_number_not_on_trunk");
  await server.close();
});

test("the first call of an organization without numbers is refused for the lack of a number, not for its country", async () => {
  const server = await createTestServer();
  const { modules, organizationId } = server;
  const { id: sipTrunkId } = await modules.sipTrunks.create(organizationId, {
    friendlyName: "Trunk",
    proxyAddress: "127.0.0.1",
  });
  const place = (agentId: string) => server.request("POST", "/calls", { agentId, toNumber: TO });
  const { id: agentId } = await modules.agents.create(server, { name: "Ada" });
  assertRefused(await place(agentId), 409, "agent_not_callable");
  await modules.agents.update(server, agentId, { sipTrunkId });
  assertRefused(await place(agentId), 409, "agent_not_callable");
  await server.close();
});

test("a disabled agent, an agent without a trunk, and an agent whose trunk takes no calls cannot call", async () => {
  const { server, place, agentId, trunkId } = await openOffice();
  const { modules, organizationId } = server;
  await modules.agents.update(server, agentId, { status: "disabled" });
  assertRefused(await place(), 409, "agent_not_callable");
  // Faults of the request are reported first.
  assertRefused(await place({ toNumber: "911" }), 400, "destination_not_allowed");
  await modules.agents.update(server, agentId, { status: "active" });
  await modules.sipTrunks.update(organizationId, trunkId, { proxyAddress: null });
  assertRefused(await place(), 409, "agent_not_callable");
  const alone = await modules.agents.create(server, { name: "Alone" });
  assertRefused(await place({ agentId: alone.id }), 409, "agent_not_callable");
  await server.close();
});

test("without free capacity the call is refused with Retry-After", async () => {
  const { server, place } = await openOffice();
  server.media.capacity = 0;
  const answer = await place({}, { "idempotency-key": "later" });
  assertRefused(answer, 503, "capacity_exceeded");
  assert.match(String(answer.headers["retry-after"]), /^\d+$/);
  server.media.capacity = Number.POSITIVE_INFINITY;
  assert.equal((await place({}, { "idempotency-key": "later" })).status, 201, "a refusal is not remembered");
  await server.close();
});

test("a request sent again with its idempotency key dials once", async () => {
  const { server, place } = await openOffice();
  const headers = { "idempotency-key": "once" };
  const [first, second] = [await place({}, headers), await place({}, headers)];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(callIn(first).id, callIn(second).id);
  assert.deepEqual(server.modules.activeCalls.ids, [callIn(first).id]);
  assertRefused(await place({ toNumber: "+14155550198" }, headers), 409, "idempotency_conflict");
  await server.close();
});

test("a call runs in the requested environment, and in production by default", async () => {
  const { server, place, agentId } = await openOffice();
  await server.modules.agents.update(server, agentId, { publishMode: "manual" });
  await server.request("PUT", `/agents/${agentId}/environments/staging`, { variables: { place: "Hamburg" } });
  const staging = callIn(await place({ environment: "staging" }));
  assert.equal(staging.environment, "staging");
  const [opened] = await waitFor("the call's media", () => atLeastOne(server.media.opened));
  assert.deepEqual(opened?.conversation.variables, { season: "spring", place: "Hamburg" });
  const production = callIn(await place({ environment: "production" }));
  assert.equal(production.environment, null);
  assert.equal(callIn(await place({ environment: null })).environment, null);
  const idsOf = async (query: string): Promise<string[]> => {
    const { body } = await server.request("GET", `/calls?${query}`);
    const { data }: { data: Call[] } = JSON.parse(JSON.stringify(body));
    return data.map(({ id }) => id);
  };
  assert.deepEqual(await idsOf("environment=staging"), [staging.id]);
  assert.equal((await idsOf("environment=production")).at(-1), production.id);
  await server.close();
});

test("calls can be filtered by their properties", async () => {
  const { server, place } = await openOffice();
  const call = callIn(await place());
  const countOf = async (query: string): Promise<number> => {
    const { body } = await server.request("GET", `/calls?${query}`);
    return JSON.parse(JSON.stringify(body)).total;
  };
  const encode = encodeURIComponent;
  for (const query of [
    `toNumber=${encode(TO)}`,
    `fromNumber=${encode(FROM)}`,
    "isTest=false",
    "status=queued",
    "direction=outbound",
    `createdAfter=${call.createdAt}`,
  ])
    assert.equal(await countOf(query), 1, query);
  for (const query of [
    `toNumber=${encode(FROM)}`,
    "isTest=true",
    "status=ringing",
    "direction=inbound",
    `createdBefore=${call.createdAt}`,
  ])
    assert.equal(await countOf(query), 0, query);
  await server.close();
});

test("an ended call and a call that no node runs cannot be hung up", async () => {
  const server = await createTestServer();
  const { callId: id } = await openTestCall(server, { nodeId: "a node that is gone" });
  assertRefused(await server.request("POST", `/calls/${id}/hangup`), 409, "call_not_addressable");
  await server.modules.calls.finish(id, { status: "busy", endReason: "dial_busy", endedAt: new Date() });
  assertRefused(await server.request("POST", `/calls/${id}/hangup`), 409, "call_not_active");
  await server.close();
});
