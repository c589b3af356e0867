import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Installation, OperatedNode, OperatedOrganization } from "@parley/contract";
import { pino } from "pino";
import { identityOf } from "../identity/testing.ts";
import { writeBeat } from "../nodes/nodes.store.ts";
import { createTestLine, createTestServer, type TestServer } from "../testing.ts";

const OPERATOR_KEY = "operator_key_of_this_test";
const COMMAND = fileURLToPath(new URL("../../../../../tools/parley.ts", import.meta.url));

type Answer = { status: number; error?: string; data: OperatedOrganization & { apiKey: string } };

async function open(context: TestContext): Promise<{
  server: TestServer;
  operate: (method: "GET" | "POST" | "PATCH", path: string, body?: object, key?: string) => Promise<Answer>;
}> {
  const server = await createTestServer({ operatorApiKey: OPERATOR_KEY });
  context.after(async () => await server.close());
  return {
    server,
    operate: async (method, path, body, key = OPERATOR_KEY) => {
      const headers = { "x-api-key": key };
      const url = `/operator/v1/organizations${path}`;
      const answer = await server.app.inject({
        method,
        url,
        headers,
        ...(body !== undefined && { payload: body }),
      });
      return { status: answer.statusCode, ...answer.json<Omit<Answer, "status">>() };
    },
  };
}

test("the operator creates an organization whose key works, and changes its settings", async (context) => {
  const { server, operate } = await open(context);
  const created = await operate("POST", "", { name: "Club", homeCountry: "DE", limits: { agents: 1 } });
  assert.equal(created.status, 201);
  const { id, apiKey, homeCountry, isBillingActive, limits } = created.data;
  assert.deepEqual([homeCountry, isBillingActive, limits.agents, limits.sipTrunks], ["DE", true, 1, 100]);
  for (const status of [201, 409])
    assert.equal((await server.request("POST", "/agents", { name: "Ada" }, apiKey)).status, status);
  const changed = await operate("PATCH", `/${id}`, {
    name: "Railway club",
    allowedCountries: ["AT"],
    isPremiumRateAllowed: true,
    limits: { agents: null, sipTrunks: 0 },
  });
  assert.equal(changed.status, 200);
  const { data } = await operate("GET", `/${id}`);
  assert.deepEqual(data, changed.data);
  assert.deepEqual(
    [data.name, data.homeCountry, data.allowedCountries, data.isPremiumRateAllowed],
    ["Railway club", "DE", ["AT"], true],
  );
  assert.deepEqual([data.limits.agents, data.limits.sipTrunks], [1_000, 0]);
  assert.equal((await server.request("POST", "/sip-trunks", { friendlyName: "T" }, apiKey)).status, 409);
  // What GET gave can be sent back.
  assert.deepEqual((await operate("PATCH", `/${id}`, data)).data, data);
  assert.equal((await operate("PATCH", `/${id}`, { isBillingActive: false })).data.isBillingActive, false);
});

test("a create repeated under its Idempotency-Key is carried out once, and a malformed key is refused", async (context) => {
  const { server, operate } = await open(context);
  const send = async (path: string, payload: object, idempotencyKey: string) => {
    const headers = { "x-api-key": OPERATOR_KEY, "idempotency-key": idempotencyKey };
    const url = `/operator/v1/organizations${path}`;
    const answer = await server.app.inject({ method: "POST", url, headers, payload });
    return {
      status: answer.statusCode,
      isReplayed: answer.headers["idempotent-replayed"],
      ...answer.json<Omit<Answer, "status">>(),
    };
  };
  const [first, again] = [await send("", { name: "Club" }, "k1"), await send("", { name: "Club" }, "k1")];
  assert.deepEqual([first.status, again.status, again.isReplayed], [201, 201, "true"]);
  assert.deepEqual(again.data, first.data);
  const { data } = await operate("GET", "");
  assert.equal((data as unknown as { name: string }[]).filter(({ name }) => name === "Club").length, 1);
  const other = await send("", { name: "Other" }, "k1");
  assert.deepEqual([other.status, other.error], [409, "idempotency_conflict"]);
  const malformed = await send("", { name: "Other" }, "not visible");
  assert.deepEqual([malformed.status, malformed.error], [400, "invalid_query"]);
  const invitation = { email: "ada@example.com", role: "member" };
  const path = `/${first.data.id}/invitations`;
  const invited = await send(path, invitation, "k2");
  assert.equal(invited.status, 201);
  assert.deepEqual((await send(path, invitation, "k2")).data, invited.data);
});

test("organizations are listed in pages", async (context) => {
  const { server, operate } = await open(context);
  const second = await operate("POST", "", { name: "Second" });
  const page = await operate("GET", "?pageSize=1&sort=asc");
  assert.partialDeepStrictEqual(page, { data: [{ id: server.organizationId }], total: 2, hasNextPage: true });
  const last = await operate("GET", "?pageSize=1&sort=desc");
  assert.partialDeepStrictEqual(last, { data: [{ id: second.data.id }] });
});

test("only the operator's key opens the operator's API, and it opens nothing else", async (context) => {
  const { server, operate } = await open(context);
  for (const key of [server.apiKey, "", `${OPERATOR_KEY}x`]) {
    for (const method of ["GET", "POST"] as const)
      assert.deepEqual([(await operate(method, "", undefined, key)).status], [401]);
  }
  assert.equal((await server.request("GET", "/agents", undefined, OPERATOR_KEY)).status, 401);
  const guesses = Array.from(
    { length: 80 },
    async () => (await operate("GET", "", undefined, randomUUID())).status,
  );
  assert.ok((await Promise.all(guesses)).includes(429));
  assert.equal((await operate("GET", "")).status, 200);
  const without = await createTestServer();
  context.after(async () => await without.close());
  const headers = { "x-api-key": OPERATOR_KEY };
  assert.equal((await without.app.inject({ url: "/operator/v1/organizations", headers })).statusCode, 401);
});

test("wrong requests are refused and change nothing", async (context) => {
  const { server, operate } = await open(context);
  const path = `/${server.organizationId}`;
  const { data: before } = await operate("GET", path);
  for (const body of [
    { limits: { agents: -1 } },
    { limits: { concurrentWebhooks: 0 } },
    { limits: { cups: 1 } },
    { homeCountry: "XX" },
    { allowedCountries: ["DE", "ZZ"] },
    { name: "Other", allowedCountries: ["DE", "DE"] },
    { slug: "x" },
  ])
    assert.deepEqual([(await operate("PATCH", path, body)).error], ["invalid_body"], JSON.stringify(body));
  for (const unknown of ["/nope", `/${randomUUID()}`]) {
    assert.equal((await operate("GET", unknown)).status, 404);
    assert.equal((await operate("PATCH", unknown, { limits: { agents: 1 } })).status, 404);
  }
  assert.deepEqual((await operate("GET", path)).data, before);
});

test("the operator finds who has a number and releases it, so that another organization can add it", async (context) => {
  const lines: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  const server = await createTestServer({ operatorApiKey: OPERATOR_KEY, logger });
  context.after(async () => await server.close());
  const headers = { "x-api-key": OPERATOR_KEY };
  const operate = async (method: "GET" | "DELETE", path: string) => {
    const answer = await server.app.inject({ method, url: `/operator/v1/number-claims${path}`, headers });
    return {
      status: answer.statusCode,
      ...answer.json<{ data: Record<string, unknown>[]; total: number }>(),
    };
  };
  const line = await createTestLine(server);
  const other = await server.createOrganization();
  const otherLine = await createTestLine({ ...server, ...other });
  const claim = async () =>
    await server.request(
      "POST",
      `/agents/${otherLine.agentId}/phone-numbers`,
      { e164: line.toNumber },
      other.apiKey,
    );
  assert.equal((await claim()).status, 400);

  const query = `?e164=${encodeURIComponent(line.toNumber ?? "")}`;
  const listed = await operate("GET", query);
  assert.partialDeepStrictEqual(listed, {
    status: 200,
    total: 1,
    data: [{ id: line.phoneNumberId, organizationId: server.organizationId, agentId: line.agentId }],
  });
  assert.equal((await operate("GET", "")).total, 2);
  assert.equal((await operate("GET", `?organizationId=${other.organizationId}`)).total, 1);
  assert.equal((await operate("DELETE", `/${line.phoneNumberId}`)).status, 200);
  assert.equal((await operate("DELETE", `/${line.phoneNumberId}`)).status, 404);
  assert.equal((await operate("DELETE", "/nope")).status, 404);
  assert.equal(lines.length, 1);
  const logged: unknown = JSON.parse(lines[0] ?? "");
  assert.partialDeepStrictEqual(logged, {
    msg: "the operator released a phone number",
    phoneNumberId: line.phoneNumberId,
    organizationId: server.organizationId,
  });
  const { body } = await server.request("GET", `/agents/${line.agentId}/revisions`);
  assert.partialDeepStrictEqual(body, { data: [{ actor: { type: "system", name: "operator" } }] });
  assert.equal((await operate("GET", query)).total, 0);
  assert.equal((await claim()).status, 201);
  const unbound = await server.request(
    "PATCH",
    `/agents/${otherLine.agentId}/phone-numbers/${otherLine.phoneNumberId}`,
    { agentId: null },
    other.apiKey,
  );
  assert.equal(unbound.status, 200);
  assert.equal((await operate("DELETE", `/${otherLine.phoneNumberId}`)).status, 200);
});

test("npm run parley creates and changes an organization", async (context) => {
  const { server } = await open(context);
  const url = await server.app.listen({ host: "127.0.0.1", port: 0 });
  const run = async (...words: string[]) => {
    const env = { ...process.env, PARLEY_OPERATOR_API_KEY: OPERATOR_KEY };
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...words, "--url", url], {
      env,
    });
    return (JSON.parse(stdout) as Answer).data;
  };
  const { id, apiKey } = await run("organizations", "create", "--name", "Club", "--limit", "agents=1");
  assert.equal((await server.request("GET", "/organization", undefined, apiKey)).status, 200);
  const changed = await run("organizations", "update", id, "--billing", "off", "--home-country", "AT");
  assert.deepEqual([changed.isBillingActive, changed.homeCountry, changed.limits.agents], [false, "AT", 1]);
  await assert.rejects(run("organizations", "get", randomUUID()), { code: 1, stderr: /404.*not_found/ });
});

test("what operators do is in the audit log of the organization, and in that of operators", async (context) => {
  const { server, operate } = await open(context);
  const { organizationId } = server;
  const { browser, email, userId } = await identityOf(server).signUp();
  const path = `/operator/v1/organizations/${organizationId}`;
  assert.equal((await browser.send("PATCH", path, { isBillingActive: false })).status, 200);
  assert.equal((await operate("PATCH", `/${organizationId}`, { isBillingActive: true })).status, 200);
  assert.equal((await operate("PATCH", `/${organizationId}`, { homeCountry: "XX" })).status, 400);
  const operators = { email, isOperator: true };
  assert.equal((await browser.send("PUT", "/operator/v1/users/operators", operators)).status, 200);
  const other = await operate("POST", "", { name: "Other" });

  const byKey = { type: "operator", id: null, name: "operator's key" };
  const bySession = { type: "operator", id: userId, name: "Ada" };
  const about = { action: "updateOperatedOrganization", targetId: organizationId };
  const own = await browser.send("GET", "/v1/audit-log?sort=asc&action=updateOperatedOrganization");
  assert.partialDeepStrictEqual(own.body, {
    total: 2,
    data: [
      { ...about, actor: bySession },
      { ...about, actor: byKey },
    ],
  });
  const log = await browser.send("GET", "/operator/v1/operator-actions?sort=asc");
  assert.partialDeepStrictEqual(log.body, {
    total: 4,
    data: [
      { ...about, organizationId, actor: bySession },
      { ...about, organizationId, actor: byKey },
      { action: "setOperator", targetId: email, organizationId: null, actor: bySession },
      { action: "createOrganization", targetId: other.data.id, organizationId: other.data.id, actor: byKey },
    ],
  });
  const filtered = await browser.send("GET", `/operator/v1/operator-actions?organizationId=${other.data.id}`);
  assert.partialDeepStrictEqual(filtered.body, { total: 1 });
  assert.partialDeepStrictEqual(
    (await server.request("GET", "/audit-log", undefined, other.data.apiKey)).body,
    {
      total: 1,
      data: [{ action: "createOrganization" }],
    },
  );
});

test("an organization shows which limits the operator has set, and is found by a part of its name", async (context) => {
  const { operate } = await open(context);
  const { data } = await operate("POST", "", {
    name: "100% Railway",
    limits: { agents: 1_000, sipTrunks: 3 },
  });
  assert.deepEqual(data.limitOverrides, { sipTrunks: 3 });
  const changed = await operate("PATCH", `/${data.id}`, { limits: { agents: 7, sipTrunks: null } });
  assert.deepEqual(changed.data.limitOverrides, { agents: 7 });
  await operate("POST", "", { name: "100 trains" });
  const namesFor = async (search: string) => {
    const found = await operate("GET", `?search=${encodeURIComponent(search)}&sort=asc`);
    return (found.data as unknown as { name: string }[]).map(({ name }) => name);
  };
  assert.deepEqual(await namesFor("rAIL"), ["100% Railway"]);
  assert.deepEqual(await namesFor("100%"), ["100% Railway"]);
  assert.deepEqual(await namesFor("100"), ["100% Railway", "100 trains"]);
});

test("the operator sees the nodes with their load, those that are silent too, and the versions", async (context) => {
  const { server } = await open(context);
  const headers = { "x-api-key": OPERATOR_KEY };
  const beat = { processorLoad: 0.5, version: "0.1.0", startedAt: new Date() };
  const node = {
    httpAddress: "http://10.0.0.1:8080",
    sipAddress: "10.0.0.1:5060",
    activeCalls: 2,
    freePlaces: 7,
  };
  const lost = new Date(Date.now() - 8_000);
  await writeBeat(server.database, { ...node, ...beat, id: "one", state: "ready", beatAt: new Date() });
  await writeBeat(server.database, { ...node, ...beat, id: "two", state: "full", beatAt: lost });
  const listed = await server.app.inject({ url: "/operator/v1/nodes", headers });
  const { data } = listed.json<{ data: OperatedNode[] }>();
  assert.deepEqual(
    data
      .map(({ id, state, activeCalls, freePlaces }) => `${id} ${state} ${activeCalls} ${freePlaces}`)
      .sort(),
    ["one ready 2 7", "two silent 2 7"],
  );
  const installation = await server.app.inject({ url: "/operator/v1/installation", headers });
  assert.partialDeepStrictEqual(installation.json(), { data: { nodejsVersion: process.versions.node } });
  assert.match(installation.json<{ data: Installation }>().data.postgresVersion, /^\d+/);
});
