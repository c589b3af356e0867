/** Every operation with every role, and with another organization's session. New operations are covered by themselves. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  apiKeyRoles,
  includesRole,
  memberRoles,
  operatorRoutes,
  requiredRoleOf,
  type RouteDefinition,
  routes,
} from "@parley/contract";
import { bodyOf, ContractConformance, encodeBody, operations } from "../contract-conformance.ts";
import { isShared, Resources } from "../contract-resources.ts";
import { setMemberRole, updateOperator } from "./identity.store.ts";
import { createTestServer } from "../testing.ts";
import { identityOf } from "./testing.ts";

const UNKNOWN_ID = "6f6d8b8a-0000-4000-8000-000000000000";

function urlOf({ path }: RouteDefinition): string {
  return path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
}

/** What the contract requires: changed here only with the contract. */
const exceptions: Readonly<Record<string, string>> = {
  createApiKey: "admin",
  listApiKeys: "admin",
  updateApiKey: "admin",
  revokeApiKey: "admin",
  createProviderKey: "admin",
  deleteProviderKey: "admin",
  rotateWidgetSecret: "admin",
  deleteWidgetSecret: "admin",
  rotateWebhookSigningSecret: "admin",
  disableWebhookSigning: "admin",
  updateOrganization: "admin",
  updateDoNotCallSettings: "admin",
  updateMember: "admin",
  removeMember: "admin",
  createInvitation: "admin",
  listInvitations: "admin",
  withdrawInvitation: "admin",
  listAuditLog: "admin",
  // Reads, with its question in a body.
  searchKnowledgeBase: "viewer",
};

test("operations that read are open to all, those that write need a member, and a few an admin", () => {
  for (const route of routes) {
    const expected = exceptions[route.operationId] ?? (route.method === "GET" ? "viewer" : "member");
    assert.equal(requiredRoleOf(route), expected, route.operationId);
  }
});

test("every operation answers each role of people and keys as its definition says", async (context) => {
  const conformance = await ContractConformance.start();
  context.after(async () => await conformance.close());
  const { server } = conformance;
  const { organizationId } = server;
  const { signUp } = identityOf(server);
  const { browser, userId } = await signUp();
  for (const role of memberRoles) {
    await setMemberRole(server.database, organizationId, userId, role);
    for (const route of routes) {
      // A body that no operation accepts: roles are checked before it is read, and nothing changes.
      const { status } = await browser.send(route.method, `/v1${urlOf(route)}`, refusedBody(route));
      assertVerdict(status, includesRole(role, requiredRoleOf(route)), `${role} ${route.operationId}`);
    }
  }
  for (const role of apiKeyRoles) {
    const { key } = await server.modules.apiKeys.create(organizationId, role, null, { role });
    for (const route of routes) {
      const { status } = await server.request(route.method, urlOf(route), refusedBody(route), key);
      assertVerdict(status, includesRole(role, requiredRoleOf(route)), `key ${role} ${route.operationId}`);
    }
  }
});

test("operations of operators are open to operators only, whatever their role, and to the operator's key", async (context) => {
  const operatorApiKey = "operator_key_of_this_test";
  const server = await createTestServer({ operatorApiKey });
  context.after(async () => await server.close());
  const { signUp, browse } = identityOf(server);
  const { browser, email, userId } = await signUp();
  const send = async (
    route: RouteDefinition,
    headers: Record<string, string | undefined> = {},
    by = browser,
  ) => (await by.send(route.method, `/operator/v1${urlOf(route)}`, refusedBody(route), headers)).status;
  for (const isOperator of [true, false]) {
    await updateOperator(server.database, email, isOperator);
    for (const role of memberRoles) {
      await setMemberRole(server.database, server.organizationId, userId, role);
      for (const route of operatorRoutes)
        assertVerdict(await send(route), isOperator, `${role} ${isOperator} ${route.operationId}`);
    }
  }
  await updateOperator(server.database, email, true);
  const keys = await Promise.all(
    apiKeyRoles.map(
      async (role) => await server.modules.apiKeys.create(server.organizationId, role, null, { role }),
    ),
  );
  for (const route of operatorRoutes) {
    for (const { key } of keys)
      assert.equal(await send(route, { "x-api-key": key }, browse()), 401, `key ${route.operationId}`);
    assert.equal(await send(route, {}, browse()), 401, `nobody ${route.operationId}`);
    assertVerdict(await send(route, { "x-api-key": operatorApiKey }, browse()), true, route.operationId);
    if (route.method === "GET") continue;
    for (const origin of [undefined, "https://elsewhere.example"])
      assert.equal(await send(route, { origin }), 403, `${String(origin)} ${route.operationId}`);
  }
});

test("nobody makes themselves operator", async (context) => {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const { browser, email } = await identityOf(server).signUp();
  await updateOperator(server.database, email, false);
  const attempts = [
    ["PATCH", "/auth/user", { name: "Ada", isOperator: true }, 400],
    ["PUT", "/operator/v1/users/operators", { email, isOperator: true }, 403],
    ["POST", "/auth/sign-up", { token: "x".repeat(43), name: "Ada", email, password: "x".repeat(12) }, 403],
  ] as const;
  for (const [method, path, body, status] of attempts)
    assert.equal((await browser.send(method, path, body)).status, status, path);
  const { body } = await browser.send("GET", "/auth/session");
  assert.partialDeepStrictEqual(body, { data: { user: { isOperator: false } } });
});

test("the owner of another organization reaches none of this one's resources", async (context) => {
  const conformance = await ContractConformance.start();
  context.after(async () => await conformance.close());
  const { server } = conformance;
  const { browser } = await identityOf(server).signUp();
  const foreign = await Resources.create(conformance, await server.createOrganization());
  for (const operation of operations) {
    if (isShared(operation)) continue;
    const url = `/v1${foreign.fill(operation.path)}`;
    // A body of references would be refused for them first.
    const body = operation.path.includes("{") ? bodyOf(operation) : foreign.bodyFor(operation);
    if (operation.path.includes("{")) {
      const sent = await encodeBody(operation, body);
      const { status } = await browser.send(operation.method, url, sent.body, sent.headers);
      assert.equal(status, 404, operation.operationId);
    } else if (operation.method === "GET") {
      const { status, body: answer } = await browser.send("GET", url);
      assert.equal(status, 200, operation.operationId);
      const text = JSON.stringify(answer);
      for (const id of foreign.allIds) assert.ok(!text.includes(id), `${operation.operationId} shows ${id}`);
    } else if (body !== undefined && JSON.stringify(body).match(/[0-9a-f]{8}-[0-9a-f-]{27}/) !== null) {
      // Ids in a body name another organization's resources.
      assert.equal((await browser.send(operation.method, url, body)).status, 400, operation.operationId);
    }
  }
});

function refusedBody({ method }: RouteDefinition): object | undefined {
  return method === "GET" ? undefined : { unheardOf: 1 };
}

function assertVerdict(status: number, isAllowed: boolean, what: string): void {
  if (isAllowed) assert.ok(![401, 403, 500].includes(status), `${what}: ${status}`);
  else assert.equal(status, 403, what);
}
