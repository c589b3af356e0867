import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { createTestDatabase } from "../../../platform/database/testing.ts";
import { Encryption } from "../../../platform/encryption/encryption.ts";
import { OrganizationsService } from "../../organizations/organizations.service.ts";
import { createTestServer } from "../../testing.ts";
import { SigningSecretsService } from "./signing-secrets.service.ts";
import { isSignedWith } from "../testing.ts";
import { signatureHeaders } from "./webhook-signature.rules.ts";
import { webhookSigningSecrets } from "../webhooks.tables.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Two nodes on one database. The library reads the real clock, so the nodes' clock starts at the real time. */
async function open() {
  const { database, close } = await createTestDatabase();
  const clock = { now: new Date() };
  const encryption = new Encryption(randomBytes(32));
  const createNode = () => new SigningSecretsService(database, encryption, { now: () => clock.now });
  const { id } = await new OrganizationsService(database).ensure(database, "acme", "Acme");
  return {
    database,
    close,
    node: createNode(),
    otherNode: createNode(),
    organizationId: id,
    letPass: (ms: number): void => void (clock.now = new Date(clock.now.getTime() + ms)),
  };
}

test("a secret is in the answer that creates it, encrypted in the database, and active on another node at once", async () => {
  const { database, node, otherNode, organizationId, close } = await open();
  assert.deepEqual(await node.get(organizationId), { enabled: false, last4: null });
  const { secret, enabled, last4 } = await node.rotate(organizationId);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual([enabled, last4], [true, secret.slice(-4)]);
  assert.deepEqual(await otherNode.get(organizationId), { enabled: true, last4 });
  assert.deepEqual(await otherNode.findSecrets(organizationId), [secret]);
  const stored = JSON.stringify(await database.select().from(webhookSigningSecrets));
  assert.ok(!stored.includes(secret.slice(6, -4)));
  await close();
});

test("for 24 hours after a rotation both secrets sign, then only the new one; a third drops the first", async () => {
  const { node, organizationId, letPass, close } = await open();
  const { secret: first } = await node.rotate(organizationId);
  letPass(10 * DAY_MS);
  const { secret: second } = await node.rotate(organizationId);
  letPass(DAY_MS - 1);
  assert.deepEqual(await node.findSecrets(organizationId), [second, first]);
  letPass(1);
  assert.deepEqual(await node.findSecrets(organizationId), [second]);
  const { secret: third } = await node.rotate(organizationId);
  assert.deepEqual(await node.findSecrets(organizationId), [third, second]);
  const rotated = await Promise.all([node.rotate(organizationId), node.rotate(organizationId)]);
  const secrets = await node.findSecrets(organizationId);
  assert.deepEqual(secrets.toSorted(), rotated.map(({ secret }) => secret).toSorted());
  await close();
});

test("disabling drops both secrets at once on every node, and can be repeated", async () => {
  const { node, otherNode, organizationId, close } = await open();
  await node.rotate(organizationId);
  const { last4 } = await node.rotate(organizationId);
  assert.deepEqual(await node.disable(organizationId), { enabled: false, last4 });
  assert.deepEqual(await otherNode.findSecrets(organizationId), []);
  assert.deepEqual(await otherNode.disable(organizationId), { enabled: false, last4: null });
  await close();
});

test("a message is verified by the public library and the documented recipe, with either secret and no other", async () => {
  const { node, organizationId, close } = await open();
  const { secret: first } = await node.rotate(organizationId);
  const { secret: second } = await node.rotate(organizationId);
  const { secret: foreign } = await node.rotate(organizationId);
  const body = '{"type":"call.post","text":"Grüß Gott"}';
  const headers = signatureHeaders({ id: "event-1", body, at: new Date() }, [second, first]);
  assert.match(headers["x-service-signature"] ?? "", /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  assert.match(headers["webhook-signature"] ?? "", /^v1,\S{44} v1,\S{44}$/);
  for (const secret of [first, second]) {
    assert.ok(isSignedWith(secret, { headers, body }));
    assert.ok(!isSignedWith(secret, { headers, body: `${body} ` }));
  }
  assert.ok(!isSignedWith(foreign, { headers, body }));
  const unsigned = signatureHeaders({ id: "event-1", body, at: new Date() }, []);
  assert.deepEqual(Object.keys(unsigned), ["webhook-id", "webhook-timestamp"]);
  await close();
});

test("each organization has its own secret, which only the answer that creates it shows", async () => {
  const server = await createTestServer();
  const other = await server.createOrganization();
  const path = "/webhooks/signing-secret";
  const created = await server.request("POST", path, {});
  const again = await server.request("POST", path, {});
  assert.deepEqual([created.status, again.status], [200, 200]);
  assert.notDeepEqual(created.body, again.body);
  const { data }: { data: { last4: string } } = JSON.parse(JSON.stringify(again.body));
  const { last4 } = data;
  assert.deepEqual((await server.request("GET", path)).body, { data: { enabled: true, last4 } });
  const none = { data: { enabled: false, last4: null } };
  assert.deepEqual((await server.request("GET", path, undefined, other.apiKey)).body, none);
  assert.deepEqual((await server.request("DELETE", path, undefined, other.apiKey)).body, none);
  assert.deepEqual((await server.request("DELETE", path)).body, { data: { enabled: false, last4 } });
  assert.deepEqual((await server.request("GET", path)).body, none);
  await server.close();
});
