import assert from "node:assert/strict";
import test from "node:test";
import type { Agent } from "@parley/contract";
import { type TestServer, createTestServer, storeAgentFields } from "../testing.ts";

async function send(server: TestServer, method: "GET" | "POST" | "PATCH", url: string, body?: unknown) {
  const response = await server.request(method, url, body);
  const parsed: { data: Agent; details?: { issues: { path: string }[] } } = JSON.parse(
    JSON.stringify(response.body),
  );
  return {
    status: response.status,
    data: parsed.data,
    paths: parsed.details?.issues.map(({ path }) => path),
  };
}

test("the body of GET can be sent back whole, and changes nothing", async () => {
  const server = await createTestServer();
  const { data: created } = await send(server, "POST", "/agents", { name: "Ada", voiceSpeed: 1.25 });
  const { status, data } = await send(server, "PATCH", `/agents/${created.id}`, created);
  assert.equal(status, 200);
  assert.deepEqual(data, created);
  await server.close();
});

test("two concurrent changes are both stored", async () => {
  const server = await createTestServer();
  const { data: created } = await send(server, "POST", "/agents", { name: "Ada" });
  const changes = [
    { firstMessage: "Hi" },
    { voiceSpeed: 2 },
    { language: "en-GB" },
    { name: "Bea" },
    { timezone: "Europe/Berlin" },
  ];
  await Promise.all(
    changes.map(async (change) => await send(server, "PATCH", `/agents/${created.id}`, change)),
  );
  const { data } = await send(server, "GET", `/agents/${created.id}`);
  assert.deepEqual({ ...created, ...Object.assign({}, ...changes), updatedAt: data.updatedAt }, data);
  assert.ok(data.updatedAt > created.updatedAt);
  await server.close();
});

test("an invalid timezone, or a trunk of another organization, is rejected with its path", async () => {
  const server = await createTestServer();
  const foreign = await server.createOrganization();
  const trunk = await server.modules.sipTrunks.create(foreign.organizationId, { friendlyName: "Theirs" });
  for (const [field, value] of Object.entries({ timezone: "Mars/Olympus", sipTrunkId: trunk.id })) {
    const { status, paths } = await send(server, "POST", "/agents", { name: "Ada", [field]: value });
    assert.equal(status, 400);
    assert.deepEqual(paths, [field]);
  }
  assert.deepEqual((await send(server, "POST", "/agents", { name: "Ada", timezone: "+02:00" })).paths, [
    "timezone",
  ]);
  await server.close();
});

test("URLs of webhooks with credentials, which are never sent, are rejected", async () => {
  const server = await createTestServer();
  const { data } = await send(server, "POST", "/agents", { name: "Ada" });
  for (const field of ["preCallWebhookUrl", "postCallWebhookUrl"]) {
    for (const url of ["https://user:word@example.com/", "https://user@example.com/"]) {
      assert.deepEqual((await send(server, "POST", "/agents", { name: "Ada", [field]: url })).paths, [field]);
      assert.deepEqual((await send(server, "PATCH", `/agents/${data.id}`, { [field]: url })).paths, [field]);
    }
    const withoutAny = { [field]: "https://example.com/@user" };
    assert.equal((await send(server, "PATCH", `/agents/${data.id}`, withoutAny)).status, 200);
  }
  await server.close();
});

test("URLs of webhooks with variables, which are never replaced, are rejected; stored ones stay", async () => {
  const server = await createTestServer();
  const { data } = await send(server, "POST", "/agents", { name: "Ada" });
  const urls = ["https://{{host}}/", "https://{{ host }}.example.com/", "https://example.com/{{id}}?x={{x}}"];
  for (const field of ["preCallWebhookUrl", "postCallWebhookUrl"]) {
    for (const url of urls) {
      assert.deepEqual((await send(server, "POST", "/agents", { name: "Ada", [field]: url })).paths, [field]);
      assert.deepEqual((await send(server, "PATCH", `/agents/${data.id}`, { [field]: url })).paths, [field]);
    }
    await storeAgentFields(server, data.id, { [field]: "https://{{host}}/" });
    const sentBack = { [field]: "https://{{host}}/", name: "Bea" };
    assert.equal((await send(server, "PATCH", `/agents/${data.id}`, sentBack)).status, 200);
  }
  await server.close();
});

test("a search finds part of a name, ignoring case, and treats wildcards as text", async () => {
  const server = await createTestServer();
  for (const name of ["Front desk", "Back 100% desk", "Sales"])
    await send(server, "POST", "/agents", { name });
  const found = async (search: string) => {
    const { body } = await server.request("GET", `/agents?sort=asc&search=${encodeURIComponent(search)}`);
    const page: { data: Agent[]; total: number } = JSON.parse(JSON.stringify(body));
    assert.equal(page.total, page.data.length);
    return page.data.map(({ name }) => name);
  };
  assert.deepEqual(await found("DESK"), ["Front desk", "Back 100% desk"]);
  assert.deepEqual(await found("%"), ["Back 100% desk"]);
  assert.deepEqual(await found("_"), []);
  await server.close();
});

test("pages are complete and do not overlap", async () => {
  const server = await createTestServer();
  for (let index = 0; index < 5; index++) await send(server, "POST", "/agents", { name: `Agent ${index}` });
  const names: string[] = [];
  for (const page of [1, 2, 3]) {
    const { body } = await server.request("GET", `/agents?page=${page}&pageSize=2&sort=asc`);
    const answer: { data: Agent[]; hasNextPage: boolean } = JSON.parse(JSON.stringify(body));
    names.push(...answer.data.map(({ name }) => name));
    assert.equal(answer.hasNextPage, page < 3);
  }
  // Sorted, because agents created in the same millisecond have no fixed order.
  assert.deepEqual(names.sort(), ["Agent 0", "Agent 1", "Agent 2", "Agent 3", "Agent 4"]);
  await server.close();
});
