import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { betterAuth } from "better-auth";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { organization } from "better-auth/plugins";
import { eq } from "drizzle-orm";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { OrganizationsService } from "./organizations.service.ts";
import * as tables from "./organizations.tables.ts";

test("better-auth signs up a user, creates an organization and invites a member in our tables", async () => {
  const { database, close } = await createTestDatabase();
  const auth = betterAuth({
    database: drizzleAdapter(database, { provider: "pg", usePlural: true, schema: tables }),
    plugins: [organization()],
    emailAndPassword: { enabled: true },
    advanced: { database: { generateId: "uuid" } },
    baseURL: "http://localhost",
    secret: randomBytes(32).toString("hex"),
    telemetry: { enabled: false },
    logger: { disabled: true },
  });
  const body = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
  const { user } = await auth.api.signUpEmail({ body });
  const signedIn = await auth.api.signInEmail({ body, asResponse: true });
  const headers = new Headers({ cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" });
  const created = await auth.api.createOrganization({ headers, body: { name: "Ada's", slug: "adas" } });
  assert.ok(created !== null);
  const invitation = await auth.api.createInvitation({
    headers,
    body: { email: "bob@example.com", role: "member", organizationId: created.id },
  });
  assert.equal(invitation.status, "pending");
  const [membership] = await database.select().from(tables.members).where(eq(tables.members.userId, user.id));
  assert.equal(membership?.role, "owner");
  const service = new OrganizationsService(database);
  assert.equal((await service.find(created.id))?.isBillingActive, true);
  await close();
});

test("expired sessions and verifications are deleted, others stay", async () => {
  const { database, close } = await createTestDatabase();
  const now = new Date("2026-06-01T00:00:00Z");
  const [past, ahead] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
  const [user] = await database.insert(tables.users).values({ name: "A", email: "a@b.c" }).returning();
  const userId = user?.id ?? "";
  await database.insert(tables.sessions).values([
    { token: "old", userId, expiresAt: past },
    { token: "new", userId, expiresAt: ahead },
  ]);
  await database.insert(tables.verifications).values([
    { identifier: "old", value: "1", expiresAt: past },
    { identifier: "new", value: "1", expiresAt: ahead },
  ]);
  assert.equal(await new OrganizationsService(database).deleteExpiredIdentities(now), 2);
  assert.deepEqual(
    (await database.select().from(tables.sessions)).map(({ token }) => token),
    ["new"],
  );
  await close();
});
