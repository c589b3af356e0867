import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "drizzle-orm";
import { createTestServer, type TestServer } from "../../testing.ts";

const firstPage = { page: 1, pageSize: 100, sort: "asc" } as const;
const tool = {
  name: "look_up",
  webhookUrl: "https://shop.example/",
  schema: { description: "Looks an order up." },
  headers: [{ key: "Authorization", value: "Bearer top-secret" }],
  queryParams: [{ key: "api_key", value: "also-secret" }],
};

async function createAgent(server: TestServer, creation: object = {}) {
  return await server.modules.agents.create(server, { name: "Ada", ...creation });
}

test("a version contains who changed which fields, with old and new values", async () => {
  const server = await createTestServer();
  const { agents, agentVersions } = server.modules;
  const { id } = await createAgent(server);
  await agents.update(server, id, { voiceSpeed: 1.5, sttKeyterms: ["Parley"] });
  const version = await agentVersions.get(server.organizationId, id, 2);
  assert.deepEqual(version.actor, { type: "api_key", name: "test" });
  assert.deepEqual([version.kind, version.agentId, version.revision], ["updated", id, 2]);
  assert.deepEqual(version.changedFields, ["voiceSpeed", "sttKeyterms"]);
  const [speed, keyterms] = version.changes;
  assert.deepEqual(speed, { field: "voiceSpeed", before: 1, after: 1.5 });
  assert.deepEqual(keyterms?.after, version.snapshot.sttKeyterms);
  const first = await agentVersions.get(server.organizationId, id, 1);
  assert.deepEqual(first.changes, [{ field: "name", before: null, after: "Ada" }]);
  await assert.rejects(agentVersions.get(server.organizationId, id, 3), { code: "not_found" });
  await server.close();
});

test("publishing is part of the history and never of a snapshot", async () => {
  const server = await createTestServer();
  const { agents, agentVersions } = server.modules;
  const { id } = await createAgent(server, { publishMode: "manual" });
  const published = await agentVersions.publish(server, id);
  assert.deepEqual(published, {
    publishMode: "manual",
    publishedRevision: 2,
    hasUnpublishedChanges: false,
    revision: 2,
  });
  await agents.update(server, id, { publishMode: null });
  const { changes, snapshot } = await agentVersions.get(server.organizationId, id, 3);
  assert.deepEqual(changes, [
    { field: "publishMode", before: "manual", after: "auto" },
    { field: "publishedRevision", before: 2, after: null },
  ]);
  for (const field of ["publishMode", "publishedRevision", "widgetKey"])
    assert.ok(!(field in snapshot), field);
  await server.close();
});

test("values of a tool's headers and queries are shown to its owner, masked in history, and encrypted at rest", async () => {
  const server = await createTestServer();
  const { agents, agentVersions, customTools } = server.modules;
  const { id } = await createAgent(server);
  const created = await customTools.create(server, id, tool);
  assert.deepEqual((await agents.get(server.organizationId, id)).customTools, [created]);
  assert.equal(created.headers[0]?.value, "Bearer top-secret");
  const version = JSON.stringify(await agentVersions.get(server.organizationId, id, 2));
  assert.match(version, /Authorization.*api_key/);
  assert.doesNotMatch(version, /secret/);
  for (const table of ["agents", "agent_versions"]) {
    const { rows } = await server.database.execute(sql.raw(`select ${table}::text as stored from ${table}`));
    assert.doesNotMatch(JSON.stringify(rows), /secret/);
  }
  await server.close();
});

test("a restore returns fields, status and tools with their secrets, and leaves numbers unchanged", async () => {
  const server = await createTestServer();
  const { agents, agentVersions, customTools, phoneNumbers, sipTrunks } = server.modules;
  const trunk = await sipTrunks.create(server.organizationId, { friendlyName: "Trunk" });
  const { id } = await createAgent(server, { sipTrunkId: trunk.id });
  const { id: toolId } = await customTools.create(server, id, tool);
  await customTools.update(server, id, toolId, { headers: [], name: "renamed" });
  const other = await customTools.create(server, id, { ...tool, name: "other" });
  await agents.update(server, id, { name: "Bea", status: "disabled", firstMessage: "Hi" });
  await phoneNumbers.add(server, id, { e164: "+14155550123" });
  const { agent, ...told } = await agentVersions.restore(server, id, 2);
  assert.deepEqual(told, {
    restoredFromRevision: 2,
    newRevision: 7,
    notRestored: ["phoneNumbers"],
    skippedStaleRefs: [],
  });
  assert.deepEqual([agent.name, agent.status, agent.firstMessage], ["Ada", "active", null]);
  assert.equal(agent.phoneNumbers.length, 1);
  const [restored, ...rest] = agent.customTools;
  assert.deepEqual(rest, []);
  assert.deepEqual([restored?.id, restored?.name, restored?.headers], [toolId, "look_up", tool.headers]);
  await assert.rejects(customTools.get(server.organizationId, id, other.id), { code: "not_found" });
  const { kind } = await agentVersions.get(server.organizationId, id, 7);
  assert.equal(kind, "restored");
  await server.close();
});

test("a restore skips references of the version that no longer exist", async () => {
  const server = await createTestServer();
  const { agents, agentVersions, sipTrunks, folders } = server.modules;
  const create = async () => await sipTrunks.create(server.organizationId, { friendlyName: "Trunk" });
  const [gone, kept] = [await create(), await create()];
  const folder = await folders.create(server.organizationId, { name: "Sales", color: null });
  const { id } = await createAgent(server, { sipTrunkId: gone.id, folderId: folder.id });
  await agents.update(server, id, { sipTrunkId: kept.id });
  await server.modules.sipTrunks.delete(server, gone.id, { isForced: true });
  await server.modules.folders.delete(server, folder.id);
  const { agent, skippedStaleRefs } = await agentVersions.restore(server, id, 1);
  assert.deepEqual(skippedStaleRefs, ["sipTrunkId", "folderId"]);
  assert.deepEqual(
    [agent.sipTrunkId, agent.folderId, agent.sipTrunk?.friendlyName],
    [kept.id, null, "Trunk"],
  );
  await server.close();
});

test("the history of a deleted agent can be read but not restored", async () => {
  const server = await createTestServer();
  const { agents, agentVersions } = server.modules;
  const { id } = await createAgent(server);
  await agents.update(server, id, { name: "Bea" });
  await agents.delete(server, id);
  const { data } = await agentVersions.list(server.organizationId, id, firstPage);
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ["created", "updated", "deleted"],
  );
  assert.equal((await agentVersions.get(server.organizationId, id, 3)).snapshot.name, "Bea");
  const restore = async (revision: number) =>
    await server.request("POST", `/agents/${id}/revisions/${revision}/restore`);
  assert.equal((await restore(1)).status, 409);
  assert.equal((await restore(4)).status, 404);
  const foreign = await server.createOrganization();
  const { status } = await server.request("GET", `/agents/${id}/revisions`, undefined, foreign.apiKey);
  assert.equal(status, 404);
  await server.close();
});

test("a version that this release rejects is not restored", async () => {
  const server = await createTestServer();
  const { agents, agentVersions } = server.modules;
  const { id } = await createAgent(server);
  await agents.update(server, id, { name: "Bea" });
  const broken = `'{"voiceSpeed": 7}'`;
  await server.database.execute(
    sql.raw(`update agent_versions set snapshot = snapshot || ${broken} where revision = 1`),
  );
  await assert.rejects(agentVersions.restore(server, id, 1), {
    code: "restore_invalid",
    issues: [{ path: "voiceSpeed", message: "must be <= 2" }],
  });
  await server.close();
});

test("a document stored by an older release is read with this release's fields", async () => {
  const server = await createTestServer();
  const created = await createAgent(server, { voiceSpeed: 1.5 });
  await server.database.execute(
    sql`update agents set document = (document - 'customTools' - 'phoneNumbers' - 'noiseCancellation')
      || '{"schemaVersion": 1}'`,
  );
  assert.deepEqual(await server.modules.agents.get(server.organizationId, created.id), created);
  await server.close();
});
