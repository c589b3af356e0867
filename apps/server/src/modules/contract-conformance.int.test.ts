/** Properties of every operation of the API. New operations are covered as soon as `openapi.json` contains them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { routes } from "@parley/contract";
import {
  type Operation,
  ContractConformance,
  assertRefused,
  bodyOf,
  conflicts,
  operations,
} from "./contract-conformance.ts";
import { isShared, Resources } from "./contract-resources.ts";

const withIds = operations.filter((operation) => operation.path.includes("{") && !isShared(operation));
/** Includes a few single resources: all operations that read a path that does not end in a parameter. */
const lists = operations.filter(({ method, path }) => method === "GET" && !path.endsWith("}"));
const writes = operations.filter(({ method }) => method !== "GET");

function withEach(path: string, value: string): string {
  return path.replaceAll(/\{\w+\}/g, value);
}

test("the server has exactly the operations of the document", () => {
  assert.deepEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
    routes.map(({ operationId }) => operationId).toSorted(),
  );
});

test("with a missing, wrong or revoked key every operation answers 401 before any other error", async () => {
  const conformance = await ContractConformance.start();
  const { apiKeys } = conformance.server.modules;
  const revoked = await conformance.server.createOrganization();
  const { data } = await apiKeys.list(revoked.organizationId, { page: 1, pageSize: 1, sort: "asc" });
  assert.notEqual(await apiKeys.authenticate(revoked.apiKey), undefined);
  await apiKeys.revoke(revoked.organizationId, data[0]?.id ?? "");
  for (const operation of operations) {
    for (const apiKey of [null, "parley_wrong", revoked.apiKey]) {
      const url = withEach(operation.path, "not-an-id");
      assertRefused(await conformance.send(operation, url, { body: "{malformed", apiKey }), "unauthorized");
    }
  }
  await conformance.close();
});

test("an organization with inactive billing gets 402 as the contract says, before other errors", async () => {
  const conformance = await ContractConformance.start();
  await conformance.server.modules.organizations.setBillingActive(conformance.server.organizationId, false);
  for (const operation of operations) {
    const url = withEach(operation.path, "not-an-id");
    const { status } = await conformance.send(operation, url, { body: "{malformed" });
    assert.equal(status === 402, "402" in operation.responses, operation.operationId);
  }
  await conformance.close();
});

test("unreadable requests are rejected before invalid ones, and those before missing resources", async () => {
  const conformance = await ContractConformance.start();
  const limits = new Map(routes.map((route) => [route.operationId, route.bodyLimitBytes ?? 1024 * 1024]));
  const unknownField = { unheardOf: 1 };
  for (const operation of writes) {
    const url = withEach(operation.path, "not-an-id");
    const tooLarge = JSON.stringify({ unheardOf: "x".repeat(limits.get(operation.operationId) ?? 0) });
    assertRefused(await conformance.send(operation, url, { body: tooLarge }), "payload_too_large");
    const headers = { "content-type": "text/plain" };
    assertRefused(await conformance.send(operation, url, { body: "x", headers }), "unsupported_media_type");
    assertRefused(
      await conformance.send(operation, url, { body: unknownField }),
      "invalid_body",
      "unheardOf",
    );
  }
  await conformance.close();
});

test("an unknown or malformed id, or another organization's, answers 404 and changes nothing", async () => {
  const conformance = await ContractConformance.start();
  const foreign = await conformance.server.createOrganization();
  const resources = await Resources.create(conformance, foreign);
  for (const operation of withIds) {
    const { path } = operation;
    for (const url of [resources.fill(path), withEach(path, randomUUID()), withEach(path, "1")]) {
      assertRefused(await conformance.send(operation, url, { body: bodyOf(operation) }), "not_found");
    }
  }
  const readable = withIds.filter(
    ({ method, operationId }) => method === "GET" && conflicts[operationId] === undefined,
  );
  for (const operation of readable) {
    const url = resources.fill(operation.path);
    assert.equal((await conformance.send(operation, url, { apiKey: foreign.apiKey })).status, 200, url);
  }
  await conformance.close();
});

test("lists contain nothing of another organization", async () => {
  const conformance = await ContractConformance.start();
  await Resources.create(conformance, await conformance.server.createOrganization());
  for (const operation of lists.filter((each) => !each.path.includes("{") && !isShared(each))) {
    const { body } = await conformance.send(operation, operation.path);
    const { data }: { data?: unknown } = JSON.parse(JSON.stringify(body));
    if (!Array.isArray(data)) continue;
    // A new organization has only its own key.
    assert.equal(data.length, operation.path === "/api-keys" ? 1 : 0, operation.path);
  }
  await conformance.close();
});

test("an unknown body field, an unknown query parameter and malformed JSON are rejected by name", async () => {
  const conformance = await ContractConformance.start();
  const resources = await Resources.create(conformance, conformance.server);
  for (const operation of operations) {
    const url = resources.fill(operation.path);
    const query = await conformance.send(operation, `${url}?unheardOf=1`, { body: bodyOf(operation) });
    assertRefused(query, "invalid_query", "unheardOf");
    if (operation.method === "GET") continue;
    const body = { ...operation.sampleBody, unheardOf: 1 };
    assertRefused(await conformance.send(operation, url, { body }), "invalid_body", "unheardOf");
    for (const malformed of ["{malformed", "[]", "null"]) {
      assertRefused(await conformance.send(operation, url, { body: malformed }), "invalid_body", "");
    }
  }
  await conformance.close();
});

test("an operation without required fields accepts no body, an empty one and an empty object", async () => {
  const conformance = await ContractConformance.start();
  for (const operation of writes.filter(({ path, hasBody }) => path.includes("{") && !hasBody)) {
    for (const body of [undefined, "", {}]) {
      const url = withEach(operation.path, randomUUID());
      assertRefused(await conformance.send(operation, url, { body }), "not_found");
    }
  }
  await conformance.close();
});

test("every operation answers a valid request with its success status", async () => {
  const conformance = await ContractConformance.start();
  const resources = await Resources.create(conformance, conformance.server);
  for (const operation of [...operations].sort((a, b) => rank(a) - rank(b))) {
    const url = resources.fill(operation.path);
    const answer = await conformance.send(operation, url, { body: resources.bodyFor(operation) });
    const conflict = conflicts[operation.operationId];
    if (conflict !== undefined) assertRefused(answer, conflict);
    else assert.ok(answer.status < 300, `${operation.operationId} ${JSON.stringify(answer.body)}`);
  }
  await conformance.close();
});

test("every list has the same paging rules", async () => {
  const conformance = await ContractConformance.start();
  const resources = await Resources.create(conformance, conformance.server);
  for (const operation of lists.filter((each) => !isShared(each))) {
    const url = resources.fill(operation.path);
    const { body } = await conformance.send(operation, url);
    const first: { data?: unknown; total?: number; page?: number } = JSON.parse(JSON.stringify(body));
    if (!Array.isArray(first.data) || first.page === undefined) continue;
    const beyond = await conformance.send(operation, `${url}?page=1000&pageSize=1&sort=asc`);
    const { total } = first;
    assert.deepEqual(beyond.body, { data: [], page: 1000, pageSize: 1, total, hasNextPage: false }, url);
    for (const [name, value] of [
      ["page", "0"],
      ["pageSize", "101"],
      ["pageSize", "0"],
      ["sort", "up"],
    ] as const) {
      assertRefused(await conformance.send(operation, `${url}?${name}=${value}`), "invalid_query", name);
    }
  }
  await conformance.close();
});

test("a repeated POST under its key gets the same answer, and is rejected with another body", async () => {
  const conformance = await ContractConformance.start();
  const resources = await Resources.create(conformance, conformance.server);
  for (const operation of operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
    const url = resources.fill(operation.path);
    const headers = { "idempotency-key": operation.operationId };
    const body = resources.bodyFor(operation);
    const first = await conformance.send(operation, url, { body, headers });
    if (operation.operationId in conflicts) continue;
    assert.ok(first.status < 300, JSON.stringify(first.body));
    assert.equal(first.headers["idempotent-replayed"], undefined);
    const second = await conformance.send(operation, url, { body, headers });
    assert.deepEqual([second.status, second.body], [first.status, first.body]);
    assert.equal(second.headers["idempotent-replayed"], "true");
    const bad = await conformance.send(operation, url, { body, headers: { "idempotency-key": "" } });
    assertRefused(bad, "invalid_query", "Idempotency-Key");
    const name = ["name", "friendlyName"].find((each) => each in operation.sampleBody);
    if (name === undefined) continue;
    const conflicting = { ...body, [name]: "Another" };
    assertRefused(
      await conformance.send(operation, url, { body: conflicting, headers }),
      "idempotency_conflict",
    );
  }
  await conformance.close();
});

test("a repeated POST that creates a secret gets the same one, which is kept encrypted", async () => {
  const conformance = await ContractConformance.start();
  const { server } = conformance;
  const send = async (url: string, body: object, key: string): Promise<Record<string, string>> => {
    const answer = await server.request("POST", url, body, undefined, { "idempotency-key": key });
    return (answer.body as { data: Record<string, string> }).data;
  };
  const created = await send("/api-keys", { name: "Key" }, "k");
  assert.deepEqual(await send("/api-keys", { name: "Key" }, "k"), created);
  assert.equal((await server.request("GET", "/agents", undefined, created["key"])).status, 200);
  const first = await send("/webhooks/signing-secret", {}, "first");
  const second = await send("/webhooks/signing-secret", {}, "second");
  assert.deepEqual(await send("/webhooks/signing-secret", {}, "second"), second);
  // A retry that rotated again would have dropped the first, which receivers still use.
  const signing = await server.modules.signingSecrets.findSecrets(server.organizationId);
  assert.deepEqual(signing, [second["secret"], first["secret"]]);
  const kept = JSON.stringify((await server.database.$client.query("select * from idempotency_keys")).rows);
  for (const secret of [created["key"], first["secret"], second["secret"]])
    assert.ok(secret !== undefined && !kept.includes(secret.slice(8, 30)));
  await conformance.close();
});

/** Orders operations so that deletions are last, and those of nested resources before those of their parents. */
function rank({ method, path }: Operation): number {
  return method === "DELETE" ? 100 - path.length : 0;
}
