/** Rules that hold for every resource: reading, filtering, renaming and deleting. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  type TestResponse,
  type TestServer,
  createTestLine,
  createTestServer,
  inboundCall,
  openTestCall,
} from "./testing.ts";

async function start(context: TestContext): Promise<TestServer> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  return server;
}

function dataOf<T>({ body }: TestResponse): T {
  return (body as { data: T }).data;
}

function errorOf({ status, body }: TestResponse): unknown {
  return [status, (body as { error?: string }).error];
}

const idsIn = (answer: TestResponse): string[] => dataOf<{ id: string }[]>(answer).map(({ id }) => id);

test("every deletion answers in data", async (context) => {
  const server = await start(context);
  const { request } = server;
  const { agentId, phoneNumberId, sipTrunkId } = await createTestLine(server);
  const { id: toolId } = dataOf<{ id: string }>(
    await request("POST", `/agents/${agentId}/custom-tools`, {
      name: "t",
      webhookUrl: "https://x.example",
      schema: { description: "x" },
    }),
  );
  const { id: folderId } = dataOf<{ id: string }>(await request("POST", "/folders", { name: "F" }));
  const { id: keyId } = dataOf<{ id: string }>(await request("POST", "/api-keys", { name: "K" }));
  await request("PUT", `/agents/${agentId}/environments/staging`, {});
  for (const [path, id] of [
    [`/agents/${agentId}/custom-tools/${toolId}`, toolId],
    [`/agents/${agentId}/environments/staging`, "staging"],
    [`/agents/${agentId}/phone-numbers/${phoneNumberId}`, phoneNumberId],
    [`/agents/${agentId}`, agentId],
    [`/sip-trunks/${sipTrunkId}`, sipTrunkId],
    [`/folders/${folderId}`, folderId],
    [`/api-keys/${keyId}`, keyId],
  ] as const) {
    const { status, body } = await request("DELETE", path);
    assert.deepEqual([status, body], [200, { data: { id, deleted: true } }], path);
  }
});

test("one environment and one number can be read; an unknown environment is 404", async (context) => {
  const server = await start(context);
  const { request } = server;
  const { agentId, phoneNumberId, toNumber } = await createTestLine(server);
  const environments = `/agents/${agentId}/environments`;
  await request("PUT", `${environments}/staging`, { variables: { shop: "Test" } });
  const staging = dataOf<{ name: string; variables: unknown }>(
    await request("GET", `${environments}/staging`),
  );
  assert.deepEqual([staging.name, staging.variables], ["staging", { shop: "Test" }]);
  const production = dataOf<{ phoneNumbers: string[] }>(await request("GET", `${environments}/production`));
  assert.deepEqual(production.phoneNumbers, [toNumber]);
  for (const name of ["nope", "No slug", "x".repeat(200)]) {
    const url = `${environments}/${encodeURIComponent(name)}`;
    assert.deepEqual(errorOf(await request("GET", url)), [404, "not_found"], name);
    assert.deepEqual(errorOf(await request("DELETE", url)), [404, "not_found"], name);
  }
  const number = dataOf<{ e164: string; agentId: string }>(
    await request("GET", `/phone-numbers/${phoneNumberId}`),
  );
  assert.deepEqual([number.e164, number.agentId], [toNumber, agentId]);
});

test("a key is renamed, and what GET gave can be sent back", async (context) => {
  const { request } = await start(context);
  const { key, ...created } = dataOf<{ id: string; key: string }>(
    await request("POST", "/api-keys", { name: "Old" }),
  );
  // The node caches the key under its old name.
  await request("POST", "/folders", { name: "F" }, key);
  const renamed = await request("PATCH", `/api-keys/${created.id}`, { ...created, name: "New" });
  assert.equal(dataOf<{ name: string }>(renamed).name, "New");
  const agent = dataOf<{ id: string }>(await request("POST", "/agents", { name: "Ada" }, key));
  const versions = dataOf<{ actor: { name: string } }[]>(
    await request("GET", `/agents/${agent.id}/revisions`),
  );
  assert.equal(versions[0]?.actor.name, "New");
  assert.deepEqual(errorOf(await request("PATCH", `/api-keys/${created.id}`, { name: " " })), [
    400,
    "invalid_body",
  ]);
  const unchanged = dataOf<{ name: string }>(await request("PATCH", `/api-keys/${created.id}`, {}));
  assert.equal(unchanged.name, "New");
});

test("a call shows its variables, and a lost node is explained", async (context) => {
  const server = await start(context);
  const { callId } = await openTestCall(server, { variables: { plan: "pro" } });
  await server.modules.lostCalls.closeOrphans({ livingNodeIds: [], lastBeats: new Map(), now: new Date() });
  const call = dataOf<{ variables: unknown; endReason: string; endDetail: string }>(
    await server.request("GET", `/calls/${callId}`),
  );
  assert.deepEqual(call.variables, { plan: "pro" });
  assert.equal(call.endReason, "node_lost");
  assert.match(call.endDetail, /stopped responding/);
});

test("calls are filtered by several statuses, end reason, trunk, and a number as it is written", async (context) => {
  const server = await start(context);
  const { request, organizationId, modules } = server;
  const line = await createTestLine(server);
  const open = async (
    status: "busy" | "failed" | "completed",
    endReason: "dial_busy" | "error_llm" | "user_hangup",
  ) => {
    const call = inboundCall(organizationId, { ...line, fromNumber: "+14155550177" });
    const { callId } = await modules.calls.openInbound(call);
    await modules.calls.finish(callId, { status, endReason, endedAt: new Date() });
    return callId;
  };
  const busy = await open("busy", "dial_busy");
  const failed = await open("failed", "error_llm");
  const completed = await open("completed", "user_hangup");
  const { callId: other } = await openTestCall(server);
  const find = async (query: string) => idsIn(await request("GET", `/calls?sort=asc&${query}`));
  assert.deepEqual(await find("status=busy&status=failed"), [busy, failed]);
  assert.deepEqual(await find("status=completed"), [completed]);
  assert.deepEqual(await find("endReason=error_llm&endReason=user_hangup"), [failed, completed]);
  assert.deepEqual(await find(`sipTrunkId=${line.sipTrunkId}`), [busy, failed, completed]);
  assert.equal((await find(`sipTrunkId=${randomUUID()}`)).length, 0);
  assert.deepEqual(errorOf(await request("GET", "/calls?status=busy&status=x")), [400, "invalid_query"]);
  for (const written of ["+14155550177", "+1 (415) 555-0177", "+1.415.555.0177"])
    assert.equal((await find(`fromNumber=${encodeURIComponent(written)}`)).length, 3, written);
  // A form encodes the plus as %2B; many clients forget it, and it arrives as a space.
  assert.equal((await find("fromNumber=+14155550177")).length, 3);
  assert.ok(!(await find("fromNumber=%2B14155550177")).includes(other));
});

test("agents are filtered by trunk, and deliveries by agent", async (context) => {
  const server = await start(context);
  const { request, modules, database, organizationId } = server;
  const line = await createTestLine(server);
  await createTestLine(server);
  assert.deepEqual(idsIn(await request("GET", `/agents?sipTrunkId=${line.sipTrunkId}`)), [line.agentId]);
  const log = async (agentId: string): Promise<string> => {
    const now = new Date();
    const id = randomUUID();
    const event = { id, type: "call.pre" as const, createdAt: now, organizationId, agentId };
    const attempt = { startedAt: now, durationMs: 20, answerStatus: 200, answer: "{}", problem: null };
    const sent = { ...event, subjectId: randomUUID(), url: "https://x.example", body: "{}" };
    await modules.webhooks.log(database, sent, attempt);
    return id;
  };
  const own = await log(line.agentId);
  await log(randomUUID());
  const found = await request("GET", `/webhooks/deliveries?agentId=${line.agentId}`);
  assert.deepEqual(idsIn(found), [own]);
  assert.equal(dataOf<{ agentId: string }[]>(found)[0]?.agentId, line.agentId);
});

test("a trunk in use is deleted only by force", async (context) => {
  const server = await start(context);
  const { request } = server;
  const { agentId, phoneNumberId, sipTrunkId } = await createTestLine(server);
  const url = `/sip-trunks/${sipTrunkId}`;
  for (const query of ["", "?force=false"])
    assert.deepEqual(errorOf(await request("DELETE", url + query)), [409, "in_use"]);
  assert.equal((await request("GET", `/phone-numbers/${phoneNumberId}`)).status, 200);
  // A number that no agent uses is deleted with its trunk too.
  await request("PATCH", `/agents/${agentId}`, { sipTrunkId: null });
  assert.deepEqual(errorOf(await request("DELETE", url)), [409, "in_use"]);
  assert.equal((await request("DELETE", `${url}?force=true`)).status, 200);
  assert.equal((await request("GET", `/phone-numbers/${phoneNumberId}`)).status, 404);
});

test("what GET gave can be posted as a copy, an agent with its tools", async (context) => {
  const server = await start(context);
  const { request } = server;
  const { agentId, sipTrunkId, toNumber } = await createTestLine(server, {
    defaultVariables: { shop: "north" },
  });
  const tool = {
    name: "look_up",
    webhookUrl: "https://x.example",
    schema: { description: "x" },
    headers: [{ key: "Authorization", value: "Bearer secret" }],
  };
  const { id: toolId } = dataOf<{ id: string }>(
    await request("POST", `/agents/${agentId}/custom-tools`, tool),
  );
  const { id: folderId } = dataOf<{ id: string }>(await request("POST", "/folders", { name: "F" }));
  await request("PATCH", `/agents/${agentId}`, { folderId, publishMode: "manual" });
  type Copied = { id: string; createdAt: string; updatedAt: string } & Record<string, unknown>;
  const copy = async (path: string, id: string): Promise<[Copied, Copied]> => {
    const original = dataOf<Copied>(await request("GET", `${path}/${id}`));
    const { status, body } = await request("POST", path, original);
    assert.equal(status, 201, JSON.stringify(body));
    return [original, dataOf<Copied>(await request("GET", `${path}/${(body as { data: Copied }).data.id}`))];
  };
  const own = { id: 0, createdAt: 0, updatedAt: 0, widgetKey: 0, health: 0, publishedRevision: 0 };
  for (const [path, id] of [
    ["/folders", folderId],
    ["/sip-trunks", sipTrunkId ?? ""],
  ] as const) {
    const [original, copied] = await copy(path, id);
    assert.notEqual(copied.id, original.id);
    assert.deepEqual({ ...copied, ...own }, { ...original, ...own }, path);
  }
  const campaign = { name: "Spring", agentId, fromNumber: toNumber, maxConcurrency: 2 };
  const { id: campaignId } = dataOf<Copied>(await request("POST", "/campaigns", campaign));
  const contact = { toNumber: "+14155550177", variables: { name: "Ada" } };
  await request("POST", `/campaigns/${campaignId}/contacts`, { contacts: [contact] });
  const contacts = dataOf<Copied[]>(await request("GET", `/campaigns/${campaignId}/contacts`));
  const [spring, autumn] = await copy("/campaigns", campaignId);
  assert.deepEqual({ ...autumn, ...own, progress: 0 }, { ...spring, ...own, progress: 0 });
  const added = await request("POST", `/campaigns/${autumn.id}/contacts`, { contacts });
  assert.deepEqual(dataOf(added), { contactsAdded: 1, duplicatesSkipped: 0 });
  const [original, copied] = await copy("/agents", agentId);
  const [copiedTool] = copied["customTools"] as Copied[];
  assert.notEqual(copiedTool?.id, toolId);
  assert.deepEqual(copiedTool?.["headers"], tool.headers);
  const ownToAgent = { ...own, customTools: 0, phoneNumbers: 0 };
  assert.deepEqual({ ...copied, ...ownToAgent }, { ...original, ...ownToAgent });
  assert.deepEqual(copied["phoneNumbers"], []);
  const bad = await request("POST", "/agents", {
    name: "Ada",
    customTools: [{ ...tool, webhookUrl: "https://u@x/" }],
  });
  const { details } = bad.body as { details: { issues: { path: string }[] } };
  assert.equal(details.issues[0]?.path, "customTools.0.webhookUrl");
  // Another agent may have a tool of the same name.
  const toolPath = `/agents/${copied.id}/custom-tools`;
  await request("DELETE", `${toolPath}/${copiedTool?.id}`);
  const given = dataOf<Copied>(await request("GET", `/agents/${agentId}/custom-tools/${toolId}`));
  assert.equal((await request("POST", toolPath, given)).status, 201);
});
