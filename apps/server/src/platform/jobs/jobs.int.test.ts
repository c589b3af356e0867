import assert from "node:assert/strict";
import test from "node:test";
import { createTestDatabase } from "../database/testing.ts";
import { createLogger } from "../logging/logging.ts";
import { type JobKind, Jobs } from "./jobs.ts";

const logger = createLogger({ level: "silent" });

test("a job runs when the transaction that enqueued it commits, and never when it does not", async () => {
  const { database, connectionString, close } = await createTestDatabase();
  const jobs = await Jobs.start({ connectionString, logger });
  const first = Promise.withResolvers<string>();
  const kind: JobKind<{ id: string }> = { name: "test-job", run: async ({ id }) => first.resolve(id) };
  await jobs.work(kind);
  const rolledBack = database.transaction(async (transaction) => {
    await jobs.enqueue(transaction, kind, { id: "rolled back" });
    throw new Error("changed its mind");
  });
  await assert.rejects(rolledBack, /changed its mind/);
  await database.transaction(
    async (transaction) => await jobs.enqueue(transaction, kind, { id: "committed" }),
  );
  assert.equal(await first.promise, "committed");
  await jobs.close();
  await jobs.close();
  await close();
});
