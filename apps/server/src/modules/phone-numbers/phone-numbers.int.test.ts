import assert from "node:assert/strict";
import test from "node:test";
import { type TestServer, createTestServer } from "../testing.ts";

async function createAgent({ modules, organizationId }: TestServer, organization = organizationId) {
  const trunk = await modules.sipTrunks.create(organization, { friendlyName: "Trunk" });
  const agent = await modules.agents.create(organization, {
    name: "Ada",
    sipTrunkId: trunk.id,
    firstMessage: "Hello",
  });
  return { trunk, agent };
}

const isInUse = { code: "invalid_body", issues: [{ path: "e164", message: "is in use" }] };

test("a dialled number leads to its organization, agent and trunk, with or without the plus", async () => {
  const server = await createTestServer();
  const { trunk, agent } = await createAgent(server);
  await server.modules.phoneNumbers.add(server.organizationId, agent.id, "+49 (30) 123456");
  for (const dialled of ["+4930123456", "4930123456"]) {
    const found = await server.modules.phoneNumbers.findInbound(dialled);
    assert.equal(found?.organization.id, server.organizationId);
    assert.equal(found?.agent.document.firstMessage, "Hello");
    assert.equal(found?.trunk.id, trunk.id);
    assert.equal(found?.number.e164, "+4930123456");
  }
  for (const dialled of ["+4930123457", "100", "alice", ""]) {
    assert.equal(await server.modules.phoneNumbers.findInbound(dialled), undefined);
  }
  await server.close();
});

test("a number in use is refused, in the own organization and in another", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const foreign = await server.createOrganization();
  const [{ agent }, other, theirs] = [
    await createAgent(server),
    await createAgent(server),
    await createAgent(server, foreign.organizationId),
  ];
  await modules.phoneNumbers.add(organizationId, agent.id, "+14155550123");
  await assert.rejects(modules.phoneNumbers.add(organizationId, agent.id, "+14155550123"), isInUse);
  await assert.rejects(modules.phoneNumbers.add(organizationId, other.agent.id, "+14155550123"), isInUse);
  await assert.rejects(
    modules.phoneNumbers.add(foreign.organizationId, theirs.agent.id, "+14155550123"),
    isInUse,
  );
  await server.close();
});

test("the number of a deleted agent stays, rings nobody, and can be bound again", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const { agent } = await createAgent(server);
  const number = await modules.phoneNumbers.add(organizationId, agent.id, "+14155550123");
  await modules.agents.delete(organizationId, agent.id);
  assert.equal(await modules.phoneNumbers.findInbound("+14155550123"), undefined);
  const next = await createAgent(server);
  const bound = await modules.phoneNumbers.add(organizationId, next.agent.id, "+14155550123");
  assert.deepEqual([bound.id, bound.agentId, bound.sipTrunkId], [number.id, next.agent.id, next.trunk.id]);
  await server.close();
});

test("a number moves to another agent of the organization only", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const foreign = await server.createOrganization();
  const [{ agent }, other, theirs] = [
    await createAgent(server),
    await createAgent(server),
    await createAgent(server, foreign.organizationId),
  ];
  const { id } = await modules.phoneNumbers.add(organizationId, agent.id, "+14155550123");
  const move = async (to: string) => await modules.phoneNumbers.move(organizationId, agent.id, id, to);
  await assert.rejects(move(theirs.agent.id), { code: "invalid_body" });
  assert.equal((await move(other.agent.id)).agentId, other.agent.id);
  await assert.rejects(move(agent.id), { code: "not_found" });
  await server.close();
});

test("with a trunk go its numbers, and its agents are left without one", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const { agent, trunk } = await createAgent(server);
  await modules.phoneNumbers.add(organizationId, agent.id, "+14155550123");
  await modules.sipTrunks.delete(organizationId, trunk.id);
  const left = await modules.agents.get(organizationId, agent.id);
  assert.deepEqual([left.sipTrunkId, left.sipTrunk, left.phoneNumbers], [null, null, []]);
  await assert.rejects(modules.phoneNumbers.add(organizationId, agent.id, "+14155550123"), {
    code: "invalid_body",
  });
  await server.close();
});
