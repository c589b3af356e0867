/** What holds for every operation of the API, found by walking through `openapi.json`. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { errorSchema, routes } from "@parley/contract";
import { Compile } from "typebox/compile";
import { type TestServer, createTestServer } from "./testing.ts";

type Method = Parameters<TestServer["request"]>[0];

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  await readFile(new URL("../../../../openapi.json", import.meta.url), "utf8"),
);

const methods: Record<string, Method> = {
  get: "GET",
  post: "POST",
  patch: "PATCH",
  put: "PUT",
  delete: "DELETE",
};

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: methods[method] ?? "GET", operation })),
);

const isError = Compile(errorSchema);

const minimalBodies: Record<string, object> = {
  createAgent: { name: "Agent" },
  addPhoneNumber: { e164: "+14155550123" },
  createSipTrunk: { friendlyName: "Trunk" },
  createApiKey: { name: "Key" },
  createFolder: { name: "Folder" },
  createCustomTool: {
    name: "look_up",
    webhookUrl: "https://shop.example/orders",
    schema: { description: "Looks an order up." },
  },
};

interface Resources {
  /** By the first part of a path. */
  ids: Record<string, string>;
  /** What the other parameters of paths stand for. */
  parts: Record<string, string>;
}

/** One of each kind of thing, made through the API and, for calls, as a node makes them. */
async function createResources(
  server: TestServer,
  organizationId: string,
  apiKey: string,
): Promise<Resources> {
  const create = async (url: string, body: object): Promise<string> => {
    const response = await server.request("POST", url, body, apiKey);
    assert.equal(response.status, 201, JSON.stringify(response.body));
    const { data }: { data: { id: string } } = JSON.parse(JSON.stringify(response.body));
    return data.id;
  };
  const trunkId = await create("/sip-trunks", { friendlyName: "Trunk" });
  const folderId = await create("/folders", { name: "Folder" });
  const agent = { name: "Agent", sipTrunkId: trunkId, folderId, publishMode: "manual" };
  const agentId = await create("/agents", agent);
  const tool = { ...minimalBodies["createCustomTool"], name: "other", headers: [{ key: "a", value: "b" }] };
  const toolId = await create(`/agents/${agentId}/custom-tools`, tool);
  await server.request("PUT", `/agents/${agentId}/environments/staging`, {}, apiKey);
  const phoneId = await create(`/agents/${agentId}/phone-numbers`, { e164: "+4930123456" });
  const keyId = await create("/api-keys", { name: "Key" });
  const { callId, conversationId } = await server.modules.calls.openInbound({
    organizationId,
    agentId,
    agentRevision: null,
    configurationRevision: 1,
    environment: null,
    phoneNumberId: phoneId,
    sipTrunkId: trunkId,
    fromNumber: "+14155550100",
    toNumber: "+4930123456",
    nodeId: "node",
    sipCallId: "sip",
    variables: {},
    at: new Date(),
  });
  return {
    parts: { phoneId, toolId, name: "staging", revision: "2" },
    ids: {
      agents: agentId,
      folders: folderId,
      "sip-trunks": trunkId,
      calls: callId,
      conversations: conversationId,
      "api-keys": keyId,
    },
  };
}

function fill(path: string, { ids, parts }: Resources): string {
  const id = ids[path.split("/")[1] ?? ""] ?? "";
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => (name === "id" ? id : (parts[name] ?? "")));
}

test("every operation of the document is on the server, and no other", async () => {
  const server = await createTestServer();
  for (const { path, method, operation } of operations) {
    const { status } = await server.request(
      method,
      path.replaceAll(/\{\w+\}/g, randomUUID()),
      undefined,
      null,
    );
    assert.equal(status, 401, operation.operationId);
  }
  assert.equal(operations.length, routes.length);
  await server.close();
});

test("without a key, with a wrong one or a revoked one, every operation answers 401 before all else", async () => {
  const server = await createTestServer();
  const revoked = await server.createOrganization();
  const { data } = await server.modules.apiKeys.list(revoked.organizationId, {
    page: 1,
    pageSize: 1,
    sort: "asc",
  });
  assert.notEqual(await server.modules.apiKeys.authenticate(revoked.apiKey), undefined);
  await server.modules.apiKeys.revoke(revoked.organizationId, data[0]?.id ?? "");
  for (const { path, method, operation } of operations) {
    for (const key of [null, "parley_wrong", revoked.apiKey]) {
      const response = await server.request(
        method,
        path.replaceAll(/\{\w+\}/g, "not-an-id"),
        "{malformed",
        key,
      );
      assert.equal(response.status, 401, operation.operationId);
      assert.ok(isError.Check(response.body));
      assert.ok("401" in operation.responses);
    }
  }
  await server.close();
});

test("an organization whose billing is inactive gets 402 where the contract says so", async () => {
  const server = await createTestServer();
  await server.modules.organizations.setBillingActive(server.organizationId, false);
  for (const { path, method, operation } of operations) {
    const { status, body } = await server.request(
      method,
      path.replaceAll(/\{\w+\}/g, "not-an-id"),
      "{malformed",
    );
    assert.equal(status === 402, "402" in operation.responses, operation.operationId);
    assert.ok(isError.Check(body));
  }
  await server.close();
});

test("an id that names nothing, is malformed, or is another organization's answers 404, and changes nothing", async () => {
  const server = await createTestServer();
  const foreign = await server.createOrganization();
  const resources = await createResources(server, foreign.organizationId, foreign.apiKey);
  for (const { path, method, operation } of operations.filter(({ path }) => path.includes("{"))) {
    const body = method === "GET" ? undefined : (minimalBodies[operation.operationId] ?? {});
    for (const url of [
      fill(path, resources),
      path.replaceAll(/\{\w+\}/g, randomUUID()),
      path.replaceAll(/\{\w+\}/g, "1"),
    ]) {
      const response = await server.request(method, url, body);
      assert.equal(response.status, 404, `${method} ${url} ${JSON.stringify(response.body)}`);
      assert.ok(isError.Check(response.body));
    }
  }
  for (const { path } of operations.filter(({ path, method }) => method === "GET" && path.includes("{"))) {
    const { status } = await server.request("GET", fill(path, resources), undefined, foreign.apiKey);
    assert.equal(status, 200, path);
  }
  await server.close();
});

test("lists show nothing of another organization", async () => {
  const server = await createTestServer();
  const foreign = await server.createOrganization();
  await createResources(server, foreign.organizationId, foreign.apiKey);
  for (const { path } of operations.filter(({ path, method }) => method === "GET" && !path.includes("{"))) {
    const { body } = await server.request("GET", path);
    const page: { total: number; data: unknown[] } = JSON.parse(JSON.stringify(body));
    // The organization's own key is the one thing that it has.
    assert.equal(page.total, path === "/api-keys" ? 1 : 0, path);
    assert.equal(page.data.length, page.total);
  }
  await server.close();
});

test("an unknown field in a body, an unknown parameter in a query and malformed JSON are refused by name", async () => {
  const server = await createTestServer();
  const resources = await createResources(server, server.organizationId, server.apiKey);
  for (const { path, method, operation } of operations) {
    const url = fill(path, resources);
    const query = await server.request(method, `${url}?unheardOf=1`, minimalBodies[operation.operationId]);
    assertRefused(query, "invalid_query", "unheardOf");
    if (method === "GET") continue;
    const body = { ...minimalBodies[operation.operationId], unheardOf: 1 };
    assertRefused(await server.request(method, url, body), "invalid_body", "unheardOf");
    assertRefused(await server.request(method, url, "{malformed"), "invalid_body", "");
    assertRefused(await server.request(method, url, "[]"), "invalid_body", "");
    assertRefused(await server.request(method, url, "null"), "invalid_body", "");
  }
  await server.close();
});

function assertRefused(
  { status, body }: { status: number; body: unknown },
  code: string,
  path: string,
): void {
  assert.equal(status, 400, JSON.stringify(body));
  assert.ok(isError.Check(body));
  assert.equal(body.error, code);
  assert.ok(
    body.details?.issues.some((issue) => issue.path === path),
    JSON.stringify(body),
  );
}

test("every operation, used as meant, answers with the status and the shape that the contract says", async () => {
  const server = await createTestServer();
  const resources = await createResources(server, server.organizationId, server.apiKey);
  // What deletes comes last, numbers before the agents and trunks that have them.
  const rank = ({ method, path }: { method: string; path: string }) =>
    method === "DELETE" ? 100 - path.length : 0;
  for (const route of [...routes].sort((a, b) => rank(a) - rank(b))) {
    const body = route.body === undefined ? undefined : (minimalBodies[route.operationId] ?? {});
    const response = await server.request(route.method, fill(route.path, resources), body);
    assert.equal(response.status, route.status, `${route.operationId} ${JSON.stringify(response.body)}`);
    const validator = Compile(route.response);
    assert.ok(validator.Check(response.body), JSON.stringify(validator.Errors(response.body)));
  }
  await server.close();
});

test("what is too large, or is not JSON, is refused as such", async () => {
  const server = await createTestServer();
  const large = await server.request("POST", "/agents", {
    name: "A",
    promptTemplate: "x".repeat(1024 * 1024),
  });
  assert.equal(large.status, 413);
  assert.ok(isError.Check(large.body));
  const form = await server.app.inject({
    method: "POST",
    url: "/v1/agents",
    headers: { "x-api-key": server.apiKey, "content-type": "text/plain" },
    payload: "name=A",
  });
  assert.equal(form.statusCode, 415);
  assert.ok(isError.Check(form.json()));
  await server.close();
});

test("a path that does not exist or is not a path answers in the common shape", async () => {
  const server = await createTestServer();
  for (const url of ["/v1/nothing", "/nothing", "/v1/agents/%zz", "/v1/agents/"]) {
    const response = await server.app.inject({ url, headers: { "x-api-key": server.apiKey } });
    assert.equal(response.statusCode, 404, url);
    assert.ok(isError.Check(response.json()));
  }
  await server.close();
});

test("an answer carries the request's id: the client's own where it is sane", async () => {
  const server = await createTestServer();
  const idFor = async (sent: string) =>
    (await server.app.inject({ url: "/v1/agents", headers: { "x-request-id": sent } })).headers[
      "x-request-id"
    ];
  assert.equal(await idFor("order-4711/a"), "order-4711/a");
  assert.match(String(await idFor("a b\tc")), /^[0-9a-f-]{36}$/);
  assert.match(String(await idFor("x".repeat(200))), /^[0-9a-f-]{36}$/);
  await server.close();
});

test("the document and the reference are served without anything from elsewhere", async () => {
  const server = await createTestServer();
  const served = await server.app.inject("/openapi.json");
  assert.deepEqual(served.json(), document);
  const page = await server.app.inject("/docs/");
  assert.equal(page.statusCode, 200);
  assert.doesNotMatch(page.body, /(src|href)="(https?:)?\/\//);
  const [, script = ""] = /src="([^"]+)"/.exec(page.body) ?? [];
  const { statusCode, headers } = await server.app.inject(new URL(script, "http://x/docs/").pathname);
  assert.equal(statusCode, 200);
  assert.match(String(headers["content-type"]), /javascript/);
  await server.close();
});

test("what the database could not store is refused by its path", async () => {
  const server = await createTestServer();
  const { ids } = await createResources(server, server.organizationId, server.apiKey);
  const agent = `/agents/${ids["agents"]}`;
  const bodies: Record<string, string> = {
    name: String.raw`{"name":"a\u0000"}`,
    firstMessage: String.raw`{"firstMessage":"\ud800"}`,
    "defaultVariables.who": String.raw`{"defaultVariables":{"who":"\u0000"}}`,
    "": `{"id":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  };
  for (const [path, body] of Object.entries(bodies)) {
    assertRefused(await server.request("PATCH", agent, body), "invalid_body", path);
  }
  const queries = [
    "/agents?search=%00",
    "/calls?createdAfter=2026-02-20T23:59:60Z",
    "/calls?createdBefore=0000-01-01T00:00:00Z",
  ];
  for (const query of [...queries, "/agents?page=1.5", "/agents?page=1&page=2", "/agents?pageSize=101"]) {
    assertRefused(await server.request("GET", query), "invalid_query", /\?(\w+)/.exec(query)?.[1] ?? "");
  }
  await server.close();
});
