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
    await testDatabase.database.execute(sql`truncate organizations cascade`);
  });

  after(async () => {
    await started.close();
    await testDatabase.close();
  });

  const create = async () => await createFirstAccess(modules, "http://localhost:8080", logger);

  test("an empty database gets a key and an agent to talk to, but only once", async () => {
    const access = await create();
    assert.ok(access !== undefined);
    const principal = await modules.apiKeys.authenticate(access.apiKey);
    assert.ok(principal !== undefined);
    const { data: agents } = await modules.agents.list(principal.organizationId, {
      page: 1,
      pageSize: 10,
      sort: "desc",
    });
    assert.equal(
      access.link,
      `http://localhost:8080/try#key=${access.apiKey}&agent=${agents.map(({ id }) => id).join()}`,
    );
    assert.ok(describeFirstAccess(access).includes(access.link));
    assert.equal(await create(), undefined);
  });

  test("if two nodes start at once on an empty database, one gets the key", async () => {
    const all = await Promise.all([create(), create(), create()]);
    assert.equal(all.filter((each) => each !== undefined).length, 1);
  });

  test("a bootstrap key that is set later opens the same organization", async () => {
    const access = await create();
    const principal = await modules.apiKeys.authenticate(access?.apiKey ?? "");
    const organizationId = await modules.apiKeys.ensureBootstrapOrganization("a-bootstrap-key-set-later");
    assert.equal(organizationId, principal?.organizationId);
  });

  test("a database opened by a bootstrap key gets no other key", async () => {
    await modules.apiKeys.ensureBootstrapOrganization("a-bootstrap-key-set-before");
    assert.equal(await create(), undefined);
  });
});
