import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveDrizzleAtOnce } from "./drizzle-resolution.ts";

test("Node's resolution and ours load the same modules of Drizzle", async () => {
  const { PgDatabase } = await import("drizzle-orm/pg-core");
  resolveDrizzleAtOnce();
  const { NodePgDatabase } = await import("drizzle-orm/node-postgres");
  assert.ok(NodePgDatabase.prototype instanceof PgDatabase);
  assert.equal((await import("drizzle-orm/pg-core")).PgDatabase, PgDatabase);
});
