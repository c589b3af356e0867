import assert from "node:assert/strict";
import test from "node:test";
import type { SipTrunkUpdate } from "@parley/contract";
import type { Author } from "../../platform/author.ts";
import type { PhoneNumber } from "@parley/contract";
import { assertRefused } from "../contract-conformance.ts";
import { type TestServer, createTestServer } from "../testing.ts";

async function createAgent(server: TestServer, by: Author = server) {
  const { modules } = server;
  const trunk = await modules.sipTrunks.create(by.organizationId, { friendlyName: "Trunk" });
  const agent = await modules.agents.create(by, {
    name: "Ada",
    sipTrunkId: trunk.id,
    firstMessage: "Hello",
  });
  return { trunk, agent };
}

const isInUse = { code: "invalid_body", issues: [{ path: "e164", message: "is already in use" }] };

test("a number of a trunk leads to its organization and agent", async () => {
  const server = await createTestServer();
  const { trunk, agent } = await createAgent(server);
  const other = await createAgent(server);
  await server.modules.phoneNumbers.add(server, agent.id, { e164: "+49 (30) 123456" });
  const e164 = "+4930123456";
  const found = await server.modules.phoneNumbers.findInbound({ sipTrunkId: trunk.id, e164 });
  assert.equal(found?.organization.id, server.organizationId);
  assert.equal(found?.agent.document.firstMessage, "Hello");
  assert.equal(found?.trunk.id, trunk.id);
  assert.equal(found?.number.e164, e164);
  for (const unknown of [
    { sipTrunkId: trunk.id, e164: "+4930123457" },
    { sipTrunkId: other.trunk.id, e164 },
  ])
    assert.equal(await server.modules.phoneNumbers.findInbound(unknown), undefined);
  await server.close();
});

test("a number in use by this or another organization is rejected", async () => {
  const server = await createTestServer();
  const { phoneNumbers } = server.modules;
  const foreign = await server.createOrganization();
  const [{ agent }, other, theirs] = [
    await createAgent(server),
    await createAgent(server),
    await createAgent(server, foreign),
  ];
  const e164 = "+14155550123";
  await phoneNumbers.add(server, agent.id, { e164 });
  await assert.rejects(phoneNumbers.add(server, agent.id, { e164 }), isInUse);
  await assert.rejects(phoneNumbers.add(server, other.agent.id, { e164 }), isInUse);
  await assert.rejects(phoneNumbers.add(foreign, theirs.agent.id, { e164 }), isInUse);
  await server.close();
});

test("two organizations have the same number only on trunks that a call can be told apart by", async () => {
  const server = await createTestServer();
  const { phoneNumbers, sipTrunks } = server.modules;
  const foreign = await server.createOrganization();
  const [ours, theirs] = [await createAgent(server), await createAgent(server, foreign)];
  const e164 = "+14155550123";
  const change = async (by: Author, sipTrunkId: string, fields: SipTrunkUpdate) =>
    await sipTrunks.update(by.organizationId, sipTrunkId, fields);
  const changeOurs = async (fields: SipTrunkUpdate) => await change(server, ours.trunk.id, fields);
  const changeTheirs = async (fields: SipTrunkUpdate) => await change(foreign, theirs.trunk.id, fields);
  await changeOurs({ allowedAddresses: ["203.0.113.0/28"] });
  const { id } = await phoneNumbers.add(server, ours.agent.id, { e164 });

  const overlapping: SipTrunkUpdate[] = [
    { allowedAddresses: [] },
    { allowedAddresses: ["198.51.100.1", "203.0.113.0/24"] },
    { allowedAddresses: ["203.0.113.7"] },
    { allowedAddresses: ["::ffff:203.0.113.7"] },
    { allowedAddresses: ["198.51.100.1"], proxyAddress: "203.0.113.7:5061" },
    // Its owner can make the name mean any address.
    { allowedAddresses: ["198.51.100.1"], proxyAddress: "localhost" },
    { allowedAddresses: [], proxyAddress: null, username: "a", password: "b", isInboundAuthenticated: true },
  ];
  for (const fields of overlapping) {
    await changeTheirs(fields);
    await assert.rejects(
      phoneNumbers.add(foreign, theirs.agent.id, { e164 }),
      isInUse,
      JSON.stringify(fields),
    );
  }
  await changeTheirs({ allowedAddresses: ["198.51.100.1"], isInboundAuthenticated: false });
  await phoneNumbers.add(foreign, theirs.agent.id, { e164 });
  for (const fields of overlapping)
    await assert.rejects(changeTheirs(fields), { code: "invalid_body" }, JSON.stringify(fields));
  await assert.rejects(changeOurs({ allowedAddresses: [] }), { code: "invalid_body" });
  await changeTheirs({ friendlyName: "Renamed", allowedAddresses: ["198.51.100.0/24"] });
  for (const [by, { trunk }] of [
    [server, ours],
    [foreign, theirs],
  ] as const) {
    const found = await phoneNumbers.findInbound({ sipTrunkId: trunk.id, e164 });
    assert.equal(found?.organization.id, by.organizationId);
  }
  await phoneNumbers.delete(server, ours.agent.id, id);
  await changeTheirs({ allowedAddresses: [] });
  await server.close();
});

test("two organizations have the same number on trunks that authenticate different users", async () => {
  const server = await createTestServer();
  const { phoneNumbers, sipTrunks } = server.modules;
  const foreign = await server.createOrganization();
  const [ours, theirs] = [await createAgent(server), await createAgent(server, foreign)];
  const e164 = "+14155550123";
  const authenticated = (username: string) => ({ username, password: "p", isInboundAuthenticated: true });
  await sipTrunks.update(server.organizationId, ours.trunk.id, authenticated("ours"));
  await sipTrunks.update(foreign.organizationId, theirs.trunk.id, authenticated("ours"));
  await phoneNumbers.add(server, ours.agent.id, { e164 });
  await assert.rejects(phoneNumbers.add(foreign, theirs.agent.id, { e164 }), isInUse);
  await sipTrunks.update(foreign.organizationId, theirs.trunk.id, authenticated("theirs"));
  await phoneNumbers.add(foreign, theirs.agent.id, { e164 });
  const refused = sipTrunks.update(foreign.organizationId, theirs.trunk.id, { username: "ours" });
  await assert.rejects(refused, { code: "invalid_body" });
  await server.close();
});

test("of two organizations that claim a number at the same time, one gets it", async () => {
  const server = await createTestServer();
  const foreign = await server.createOrganization();
  const [ours, theirs] = [await createAgent(server), await createAgent(server, foreign)];
  const e164 = "+14155550123";
  const claims = await Promise.allSettled([
    server.modules.phoneNumbers.add(server, ours.agent.id, { e164 }),
    server.modules.phoneNumbers.add(foreign, theirs.agent.id, { e164 }),
  ]);
  assert.deepEqual(claims.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await server.close();
});

test("the number of a deleted agent stays unbound, and can be bound again", async () => {
  const server = await createTestServer();
  const { modules } = server;
  const { agent, trunk } = await createAgent(server);
  const number = await modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  await modules.agents.delete(server, agent.id);
  const inbound = { sipTrunkId: trunk.id, e164: "+14155550123" };
  assert.equal(await modules.phoneNumbers.findInbound(inbound), undefined);
  const next = await createAgent(server);
  const bound = await modules.phoneNumbers.add(server, next.agent.id, { e164: "+14155550123" });
  assert.deepEqual([bound.id, bound.agentId, bound.sipTrunkId], [number.id, next.agent.id, next.trunk.id]);
  await server.close();
});

test("a number is deleted by itself only while no agent answers it, and only by its organization", async () => {
  const server = await createTestServer();
  const { agent } = await createAgent(server);
  const { phoneNumbers } = server.modules;
  const { id } = await phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  const remove = async (apiKey = server.apiKey) =>
    await server.request("DELETE", `/phone-numbers/${id}`, undefined, apiKey);
  assertRefused(await remove(), "in_use");
  await phoneNumbers.update(server, agent.id, id, { agentId: null });
  const { apiKey } = await server.createOrganization();
  assertRefused(await remove(apiKey), "not_found");
  assert.deepEqual((await remove()).body, { data: { id, deleted: true } });
  assertRefused(await remove(), "not_found");
  const again = await phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  assert.notEqual(again.id, id);
  await server.close();
});

test("a number moves only to another agent of its organization, and both get a version", async () => {
  const server = await createTestServer();
  const { modules } = server;
  const foreign = await server.createOrganization();
  const [{ agent }, other, theirs] = [
    await createAgent(server),
    await createAgent(server),
    await createAgent(server, foreign),
  ];
  const { id } = await modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  const move = async (agentId: string) =>
    await modules.phoneNumbers.update(server, agent.id, id, { agentId });
  await assert.rejects(move(theirs.agent.id), { code: "invalid_body" });
  assert.equal((await move(other.agent.id)).agentId, other.agent.id);
  await assert.rejects(move(agent.id), { code: "not_found" });
  for (const [agentId, count] of [
    [agent.id, 0],
    [other.agent.id, 1],
  ] as const) {
    assert.equal((await modules.agents.get(server.organizationId, agentId)).phoneNumbers.length, count);
    const page = { page: 1, pageSize: 1, sort: "desc" as const };
    const { data } = await modules.agentVersions.list(server.organizationId, agentId, page);
    assert.deepEqual(data[0]?.changedFields, ["phoneNumbers"]);
  }
  await server.close();
});

test("numbers move in both directions between two agents concurrently without a deadlock", async () => {
  const server = await createTestServer();
  const { phoneNumbers } = server.modules;
  const [one, two] = [await createAgent(server), await createAgent(server)];
  const [there, back] = [
    await phoneNumbers.add(server, one.agent.id, { e164: "+14155550123" }),
    await phoneNumbers.add(server, two.agent.id, { e164: "+14155550124" }),
  ];
  await Promise.all([
    phoneNumbers.update(server, one.agent.id, there.id, { agentId: two.agent.id }),
    phoneNumbers.update(server, two.agent.id, back.id, { agentId: one.agent.id }),
  ]);
  const {
    phoneNumbers: [only],
  } = await server.modules.agents.get(server.organizationId, one.agent.id);
  assert.equal(only?.e164, "+14155550124");
  await server.close();
});

test("an environment that does not exist is refused by name, whether or not the name is valid; null is production", async () => {
  const server = await createTestServer();
  const { agent } = await createAgent(server);
  const path = `/agents/${agent.id}/phone-numbers`;
  const e164 = "+4930123456";
  const names = ["staging", "No slug!", "", "x".repeat(40)];
  for (const environment of names)
    assertRefused(await server.request("POST", path, { e164, environment }), "environment_not_found");
  const { status, body } = await server.request("POST", path, { e164, environment: null });
  const { data }: { data: PhoneNumber } = JSON.parse(JSON.stringify(body));
  assert.deepEqual([status, data.environment], [201, null]);
  for (const environment of names)
    assertRefused(
      await server.request("PATCH", `${path}/${data.id}`, { environment }),
      "environment_not_found",
    );
  await server.close();
});

test("a number is bound to an environment of its agent until it moves", async () => {
  const server = await createTestServer();
  const { phoneNumbers, environments } = server.modules;
  const [{ agent, trunk }, other] = [await createAgent(server), await createAgent(server)];
  const e164 = "+14155550123";
  const isUnknown = { code: "environment_not_found" };
  await assert.rejects(phoneNumbers.add(server, agent.id, { e164, environment: "staging" }), isUnknown);
  await environments.put(server.organizationId, agent.id, "staging", {});
  const { id, environment } = await phoneNumbers.add(server, agent.id, { e164, environment: "staging" });
  assert.equal(environment, "staging");
  assert.equal(
    (await phoneNumbers.findInbound({ sipTrunkId: trunk.id, e164 }))?.agent.environment,
    "staging",
  );
  const change = async (environment: string | null) =>
    (await phoneNumbers.update(server, agent.id, id, { environment })).environment;
  assert.equal(await change("production"), null);
  await assert.rejects(change("unheard-of"), isUnknown);
  assert.equal(await change("staging"), "staging");
  const to = { agentId: other.agent.id };
  await assert.rejects(
    phoneNumbers.update(server, agent.id, id, { ...to, environment: "staging" }),
    isUnknown,
  );
  assert.equal((await phoneNumbers.update(server, agent.id, id, to)).environment, null);
  await server.close();
});

test("deleting a trunk deletes its numbers and removes it from its agents, with a version each", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const { agent, trunk } = await createAgent(server);
  await modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" });
  await modules.sipTrunks.delete(server, trunk.id, { isForced: true });
  const left = await modules.agents.get(organizationId, agent.id);
  assert.deepEqual([left.sipTrunkId, left.sipTrunk, left.phoneNumbers], [null, null, []]);
  const { changedFields } = await modules.agentVersions.get(organizationId, agent.id, 3);
  assert.deepEqual(changedFields.sort(), ["phoneNumbers", "sipTrunkId"]);
  await assert.rejects(modules.phoneNumbers.add(server, agent.id, { e164: "+14155550123" }), {
    code: "invalid_body",
  });
  await server.close();
});
