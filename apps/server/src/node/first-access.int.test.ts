import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "drizzle-orm";
import { ClosingStack } from "../platform/closing-stack.ts";
import { createTestDatabase, type TestDatabase } from "../platform/database/testing.ts";
import { createLogger } from "../platform/logging/logging.ts";
import { createFeatures, type Services } from "./features.ts";
import { createFirstAccess, describeFirstAccess } from "./first-access.ts";
import { createTestResources } from "./testing.ts";

const logger = createLogger({ level: "silent" });
describe("first access to an empty database", () => {
  let testDatabase: TestDatabase;
  let modules: Services;
  const started = new ClosingStack();

  before(async () => {
    testDatabase = await createTestDatabase();
    const features = createFeatures(createTestResources({ database: testDatabase.database }));
    features.closeWith(started);
    modules = features.services;
  });

  beforeEach(async () => {
    await testDatabase.database.execute(sql`truncate organizations, users, verifications cascade`);
  });

  after(async () => {
    await started.close();
    await testDatabase.close();
  });

  const create = async () => await createFirstAccess(modules, "http://localhost:8080", logger);

  test("an empty database gets a key and an agent to talk to, but only once", async () => {
    const access = await create();
    assert.ok(access?.first !== undefined);
    const { apiKey, tryLink } = access.first;
    const principal = await modules.apiKeys.authenticate(apiKey);
    assert.ok(principal !== undefined);
    const { data: agents } = await modules.agents.list(principal.organizationId, {
      page: 1,
      pageSize: 10,
      sort: "desc",
    });
    assert.equal(
      tryLink,
      `http://localhost:8080/try#key=${apiKey}&agent=${agents.map(({ id }) => id).join()}`,
    );
    const text = describeFirstAccess(access);
    assert.ok(text.includes(tryLink) && text.includes(access.signUpLink));
    assert.equal((await create())?.first, undefined);
  });

  test("every start prints a link to sign up until there is an owner, and the last ones stay valid", async () => {
    const links = [];
    for (let start = 0; start < 12; start++) links.push((await create())?.signUpLink ?? "");
    assert.match(links[0] ?? "", /^http:\/\/localhost:8080\/sign-up#token=[\w-]{43}$/);
    const tokens = links.map((link) => link.split("=")[1] ?? "");
    const stored = JSON.stringify(
      (await testDatabase.database.execute(sql`select * from verifications`)).rows,
    );
    assert.ok(tokens.every((token) => !stored.includes(token)));
    const person = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
    await assert.rejects(modules.ownerSignUp.signUp({ ...person, token: tokens[1] ?? "" }), {
      code: "forbidden",
    });
    await modules.ownerSignUp.signUp({ ...person, token: tokens[2] ?? "" });
    assert.equal(await create(), undefined);
    const other = { ...person, email: "bob@example.com" };
    for (const token of tokens)
      await assert.rejects(modules.ownerSignUp.signUp({ ...other, token }), { code: "forbidden" });
  });

  test("if two nodes start at once on an empty database, one gets the key", async () => {
    const all = await Promise.all([create(), create(), create()]);
    assert.equal(all.filter((each) => each?.first !== undefined).length, 1);
  });

  test("a bootstrap key that is set later opens the same organization", async () => {
    const access = await create();
    const principal = await modules.apiKeys.authenticate(access?.first?.apiKey ?? "");
    const organizationId = await modules.apiKeys.ensureBootstrapOrganization("a-bootstrap-key-set-later");
    assert.equal(organizationId, principal?.organizationId);
  });

  test("a database opened by a bootstrap key gets no other key", async () => {
    await modules.apiKeys.ensureBootstrapOrganization("a-bootstrap-key-set-before");
    const access = await create();
    assert.equal(access?.first, undefined);
    assert.notEqual(access?.signUpLink, undefined);
  });
});
