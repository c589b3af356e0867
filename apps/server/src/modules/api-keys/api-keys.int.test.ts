import assert from "node:assert/strict";
import test from "node:test";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { OrganizationsService } from "../organizations/organizations.service.ts";
import { ApiKeysService } from "./api-keys.service.ts";
import { apiKeys } from "./api-keys.tables.ts";

const LISTED = { page: 1, pageSize: 20, sort: "asc" } as const;

async function createService() {
  const testDatabase = await createTestDatabase();
  const clock = { now: new Date("2026-06-01T00:00:00.000Z") };
  const organizations = new OrganizationsService(testDatabase.database);
  const service = new ApiKeysService(testDatabase.database, organizations, { now: () => clock.now });
  const { id } = await organizations.ensure(testDatabase.database, "acme", "Acme");
  const advance = (ms: number) => (clock.now = new Date(clock.now.getTime() + ms));
  return { ...testDatabase, organizations, service, organizationId: id, clock, advance };
}

test("only the answer that creates a key contains it", async () => {
  const { database, service, organizationId, close } = await createService();
  const { key, ...shown } = await service.create(organizationId, "CRM", null);
  assert.match(key, /^parley_[\w-]{43}$/);
  assert.equal(shown.last4, key.slice(-4));
  assert.ok(!JSON.stringify(await database.select().from(apiKeys)).includes(key));
  assert.ok(!JSON.stringify(await service.list(organizationId, LISTED)).includes(key));
  const principal = await service.authenticate(key);
  assert.deepEqual(principal, {
    organizationId,
    isBillingActive: true,
    role: "admin",
    actor: { type: "api_key", name: "CRM" },
    actorId: shown.id,
  });
  await close();
});

test("an expired key is rejected, even if cached", async () => {
  const { service, organizationId, clock, advance, close } = await createService();
  const expiresAt = new Date(clock.now.getTime() + 10_000).toISOString();
  const { key } = await service.create(organizationId, "short", expiresAt);
  assert.notEqual(await service.authenticate(key), undefined);
  advance(10_000);
  assert.equal(await service.authenticate(key), undefined);
  await assert.rejects(service.create(organizationId, "past", expiresAt), { code: "invalid_body" });
  await close();
});

test("role and expiry of a key can be changed, and take effect at once on the node that changes them", async () => {
  const { service, organizationId, clock, advance, close } = await createService();
  const { key, id } = await service.create(organizationId, "CRM", null);
  assert.equal((await service.authenticate(key))?.role, "admin");
  const inAMinute = new Date(clock.now.getTime() + 60_000).toISOString();
  const changed = await service.update(organizationId, id, { role: "read", expiresAt: inAMinute });
  assert.partialDeepStrictEqual(changed, { name: "CRM", role: "read", expiresAt: inAMinute });
  assert.equal((await service.authenticate(key))?.role, "read");
  advance(60_000);
  assert.equal(await service.authenticate(key), undefined);
  // What a list gave can be sent back, although the key has expired.
  const renamed = await service.update(organizationId, id, { ...changed, name: "Old CRM" });
  assert.deepEqual(renamed, { ...changed, name: "Old CRM" });
  const past = new Date(clock.now.getTime() - 1).toISOString();
  await assert.rejects(service.update(organizationId, id, { expiresAt: past }), {
    code: "invalid_body",
    issues: [{ path: "expiresAt", message: "must be in the future" }],
  });
  assert.equal((await service.update(organizationId, id, { expiresAt: null })).expiresAt, null);
  assert.equal((await service.authenticate(key))?.role, "read");
  await close();
});

test("a revoked key is rejected at once by the node that revoked it, and by other nodes within half a minute", async () => {
  const { database, organizations, service, organizationId, clock, advance, close } = await createService();
  const otherNode = new ApiKeysService(database, organizations, { now: () => clock.now });
  const { key, id } = await service.create(organizationId, "CRM", null);
  for (const node of [service, otherNode]) assert.notEqual(await node.authenticate(key), undefined);
  await service.revoke(organizationId, id);
  assert.equal(await service.authenticate(key), undefined);
  advance(30_000);
  assert.equal(await otherNode.authenticate(key), undefined);
  await close();
});

test("the last use is stored with a precision of about a minute", async () => {
  const { service, organizationId, clock, advance, close } = await createService();
  const { key } = await service.create(organizationId, "CRM", null);
  const lastUsed = async () => (await service.list(organizationId, LISTED)).data[0]?.lastUsedAt;
  const first = clock.now.toISOString();
  await service.authenticate(key);
  advance(45_000);
  await service.authenticate(key);
  assert.equal(await lastUsed(), first);
  advance(45_000);
  await service.authenticate(key);
  assert.equal(await lastUsed(), clock.now.toISOString());
  await close();
});

test("the bootstrap key leads to one organization, regardless of how often and on which node it starts", async () => {
  const { service, close } = await createService();
  const ids = await Promise.all(
    [1, 2, 3].map(async () => await service.ensureBootstrapOrganization("bootstrap-key-1")),
  );
  assert.equal(new Set(ids).size, 1);
  assert.equal(await service.ensureBootstrapOrganization("bootstrap-key-2"), ids[0]);
  assert.equal((await service.authenticate("bootstrap-key-1"))?.organizationId, ids[0]);
  assert.equal((await service.authenticate("bootstrap-key-2"))?.organizationId, ids[0]);
  await close();
});

test("a revoked bootstrap key stays revoked when nodes start with it again", async () => {
  const { database, organizations, service, clock, close } = await createService();
  const key = "bootstrap-key-1";
  const id = await service.ensureBootstrapOrganization(key);
  const [listed] = (await service.list(id, LISTED)).data;
  await service.revoke(id, listed?.id ?? "");
  const restarted = new ApiKeysService(database, organizations, { now: () => clock.now });
  assert.equal(await restarted.ensureBootstrapOrganization(key), id);
  assert.equal(await restarted.authenticate(key), undefined);
  await restarted.ensureBootstrapOrganization("bootstrap-key-2");
  assert.equal((await restarted.authenticate("bootstrap-key-2"))?.organizationId, id);
  await close();
});
