import assert from "node:assert/strict";
import type { Duplex } from "node:stream";
import test from "node:test";
import type { Agent, AgentVersion } from "@parley/contract";
import type { PoolClient } from "pg";
import { createTestServer, type TestServer } from "../testing.ts";

async function read<T>(server: TestServer, url: string): Promise<T> {
  const { status, body } = await server.request("GET", url);
  assert.equal(status, 200, JSON.stringify(body));
  const { data }: { data: T } = JSON.parse(JSON.stringify(body));
  return data;
}

const agentOf = async (server: TestServer, id: string) => await read<Agent>(server, `/agents/${id}`);
const historyOf = async (server: TestServer, id: string) =>
  await read<AgentVersion[]>(server, `/agents/${id}/revisions?sort=asc&pageSize=100`);

test("forty concurrent changes are all stored, and their revisions have no gap", async () => {
  const server = await createTestServer();
  const { id } = await server.modules.agents.create(server, { name: "Ada" });
  const names = Array.from({ length: 40 }, (_, index) => `word-${index}`);
  // Each change is of a field of its own: changes of one variable map would overwrite each other.
  const fields = [
    "firstMessage",
    "promptTemplate",
    "firstMessageOutbound",
    "endCallRulesOverride",
    "playKeypadTouchToneDescriptionOverride",
  ];
  const changes = names.map((word, index) => ({ [fields[index % fields.length] ?? ""]: word }));
  const answers = await Promise.all(
    changes.map(async (change) => await server.request("PATCH", `/agents/${id}`, change)),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const history = await historyOf(server, id);
  assert.deepEqual(
    history.map(({ revision }) => revision),
    Array.from({ length: 41 }, (_, index) => index + 1),
  );
  // The history contains every word, each from a write of its own.
  const entered = new Set<unknown>();
  for (const { revision } of history.slice(1)) {
    const { changes } = await server.modules.agentVersions.get(server.organizationId, id, revision);
    assert.equal(changes.length, 1);
    entered.add(changes[0]?.after);
  }
  assert.deepEqual(entered, new Set(names));
  await server.close();
});

test("of two changes of the same state, one is made and the other refused", async () => {
  const server = await createTestServer();
  const { id, updatedAt } = await server.modules.agents.create(server, { name: "Ada" });
  const answers = await Promise.all(
    ["one", "other"].map(
      async (firstMessage) =>
        await server.request("PATCH", `/agents/${id}`, { firstMessage, ifUpdatedAt: updatedAt }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
  const refused = answers.find(({ status }) => status === 409);
  assert.match(JSON.stringify(refused?.body), /agent_changed/);
  const now = await agentOf(server, id);
  const { status } = await server.request("PATCH", `/agents/${id}`, {
    firstMessage: "third",
    ifUpdatedAt: now.updatedAt,
  });
  assert.equal(status, 200);
  await server.close();
});

test("forty concurrently created tools all exist, each with a version", async () => {
  const server = await createTestServer();
  const { id } = await server.modules.agents.create(server, { name: "Ada" });
  const names = Array.from({ length: 40 }, (_, index) => `tool-${index}`);
  const create = async (name: string) =>
    await server.modules.customTools.create(server, id, {
      name,
      webhookUrl: "https://tools.example/",
      schema: { description: "x" },
    });
  await Promise.all(names.map(create));
  const { customTools } = await agentOf(server, id);
  assert.deepEqual(customTools.map(({ name }) => name).sort(), names.sort());
  assert.equal((await historyOf(server, id)).length, 41);
  await server.close();
});

interface Breaking {
  /** Number of statements in transactions so far. */
  begun: number;
  mend: () => void;
}

/** Cuts the connection of a transaction at its `statement`th statement, before or after the database runs it. */
function breakAt(server: TestServer, statement: number, isAfter: boolean): Breaking {
  const pool = server.database.$client;
  const connect = pool.connect.bind(pool);
  const breaking: Breaking = { begun: 0, mend: () => Object.assign(pool, { connect }) };
  const connectBreaking = (callback?: Parameters<typeof connect>[0]) => {
    // With a callback, it is the pool's own query outside of a transaction.
    if (callback !== undefined) return connect(callback);
    return connect().then((client) => breakClient(client, breaking, statement, isAfter));
  };
  Object.assign(pool, { connect: connectBreaking });
  return breaking;
}

function breakClient(
  client: PoolClient,
  breaking: Breaking,
  statement: number,
  isAfter: boolean,
): PoolClient {
  const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>;
  const broken = new Error("the connection is gone");
  const queryBreaking = async (...parameters: unknown[]) => {
    breaking.begun += 1;
    if (breaking.begun > statement) throw broken;
    if (breaking.begun < statement) return await query(...parameters);
    if (isAfter) await query(...parameters);
    const { connection } = client as unknown as { connection: { stream: Duplex } };
    connection.stream.destroy();
    throw broken;
  };
  const release = client.release.bind(client);
  const releaseMended = () => {
    Object.assign(client, { query, release });
    release(breaking.begun >= statement);
  };
  return Object.assign(client, { query: queryBreaking, release: releaseMended });
}

/** Creates an agent with a trunk, a folder, a number and a published version, anew for each crash. */
async function createRichAgent(server: TestServer) {
  const { modules, organizationId } = server;
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Trunk" });
  const folder = await modules.folders.create(organizationId, { name: "Folder" });
  const creation = { sipTrunkId: trunk.id, folderId: folder.id, publishMode: "manual" } as const;
  const { id } = await modules.agents.create(server, { name: "Ada", ...creation });
  const other = await modules.agents.create(server, { name: "Bea", ...creation });
  numbers += 1;
  const e164 = `+1415${numbers}`;
  const number = await modules.phoneNumbers.add(server, id, { e164 });
  await modules.agentVersions.publish(server, id);
  await modules.agents.update(server, id, { name: "Cyd" });
  return { id, otherId: other.id, trunkId: trunk.id, folderId: folder.id, numberId: number.id, e164 };
}

type RichAgent = Awaited<ReturnType<typeof createRichAgent>>;
let numbers = 2_000_000;

const tool = { name: "look_up", webhookUrl: "https://tools.example/", schema: { description: "x" } };

/** Every way to write an agent. */
const writes: Record<string, (server: TestServer, agent: RichAgent) => Promise<unknown>> = {
  "a change": async (server, { id }) => await server.modules.agents.update(server, id, { name: "Dan" }),
  "a change of mode": async (server, { id }) =>
    await server.modules.agents.update(server, id, { publishMode: "auto", name: "Dan" }),
  "a publication": async (server, { id }) => await server.modules.agentVersions.publish(server, id),
  "a publication of an earlier revision": async (server, { id }) =>
    await server.modules.agentVersions.publish(server, id, { revision: 1 }),
  "a restore": async (server, { id }) => await server.modules.agentVersions.restore(server, id, 1),
  "a new tool": async (server, { id }) => await server.modules.customTools.create(server, id, tool),
  "a new number": async (server, { id, e164 }) =>
    await server.modules.phoneNumbers.add(server, id, { e164: e164.replace("+1415", "+1416") }),
  "a number's move": async (server, { id, otherId, numberId }) =>
    await server.modules.phoneNumbers.update(server, id, numberId, { agentId: otherId }),
  "a number's end": async (server, { id, numberId }) =>
    await server.modules.phoneNumbers.delete(server, id, numberId),
  "a trunk's end": async (server, { trunkId }) =>
    await server.modules.sipTrunks.delete(server, trunkId, { isForced: true }),
  "a folder's end": async (server, { folderId }) => await server.modules.folders.delete(server, folderId),
  "an agent's end": async (server, { id }) => await server.modules.agents.delete(server, id),
};

/** Asserts that no write is stored in part. Returns the agent's latest revision. */
async function requireWhole(server: TestServer, id: string): Promise<number> {
  const history = await historyOf(server, id);
  assert.deepEqual(
    history.map(({ revision }) => revision),
    history.map((_, index) => index + 1),
  );
  const last = await server.modules.agentVersions.get(server.organizationId, id, history.length);
  const { status, body } = await server.request("GET", `/agents/${id}`);
  assert.equal(status, last.kind === "deleted" ? 404 : 200);
  const page = { page: 1, pageSize: 100, sort: "asc" } as const;
  const bound = await server.modules.phoneNumbers.list(server.organizationId, { ...page, agentId: id });
  if (status === 404) {
    assert.equal(bound.total, 0);
    return history.length;
  }
  const { data: agent }: { data: Agent } = JSON.parse(JSON.stringify(body));
  for (const field of ["name", "sipTrunkId", "folderId", "customTools"] as const) {
    assert.deepEqual(agent[field], last.snapshot[field], field);
  }
  const idsOf = (list: readonly { id: string }[]) => list.map((each) => each.id);
  assert.deepEqual(idsOf(agent.phoneNumbers), idsOf(last.snapshot.phoneNumbers));
  assert.deepEqual(idsOf(bound.data), idsOf(agent.phoneNumbers));
  return history.length;
}

for (const [name, write] of Object.entries(writes)) {
  test(`${name} that is interrupted at any statement takes full effect or none`, async () => {
    const server = await createTestServer();
    const outcomes: boolean[] = [];
    // The first statement opens the transaction.
    for (let statement = 2, isBroken = true; isBroken; statement++) {
      for (const isAfter of [false, true]) {
        const agent = await createRichAgent(server);
        const before = await requireWhole(server, agent.id);
        const breaking = breakAt(server, statement, isAfter);
        await write(server, agent).then(
          () => assert.ok(breaking.begun < statement),
          () => assert.ok(breaking.begun >= statement),
        );
        breaking.mend();
        isBroken = breaking.begun >= statement;
        outcomes.push((await requireWhole(server, agent.id)) > before);
        await requireWhole(server, agent.otherId);
      }
    }
    // The write is stored only after the commit itself.
    assert.deepEqual(outcomes.indexOf(true), outcomes.length - 3);
    assert.ok(outcomes.length >= 8, "too few statements for a write with its version");
    await server.close();
  });
}
