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

test("concurrent jobs succeed or are retried independently, up to the limit", async () => {
  const { database, connectionString, close } = await createTestDatabase();
  const jobs = await Jobs.start({ connectionString, logger });
  const runs = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const kind: JobKind<{ id: string }> = {
    name: "test-job",
    concurrency: 6,
    run: async ({ id }) => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      runs.set(id, (runs.get(id) ?? 0) + 1);
      if (runs.size === 60 && runs.get("0") === 2) all.resolve();
      if (id === "0" && runs.get(id) === 1) throw new Error("not yet");
    },
  };
  await jobs.work(kind);
  await database.transaction(async (transaction) => {
    for (let index = 0; index < 60; index += 1) await jobs.enqueue(transaction, kind, { id: String(index) });
  });
  await all.promise;
  await jobs.close();
  assert.ok(most > 1 && most <= 6, `${most} at once`);
  runs.delete("0");
  assert.deepEqual([...new Set(runs.values())], [1]);
  await close();
});

test("a group runs jobs up to its limit, and delays no other group", async () => {
  const { database, connectionString, close } = await createTestDatabase();
  const jobs = await Jobs.start({ connectionString, logger });
  const release = Promise.withResolvers<void>();
  const others = Promise.withResolvers<void>();
  let waiting = 0;
  let mostWaiting = 0;
  let done = 0;
  const kind: JobKind<{ group: string }> = {
    name: "grouped-job",
    concurrency: 8,
    isGrouped: true,
    run: async ({ group }) => {
      if (group === "slow") {
        mostWaiting = Math.max(mostWaiting, (waiting += 1));
        await release.promise;
        waiting -= 1;
      } else if ((done += 1) === 10) others.resolve();
    },
  };
  await jobs.work(kind);
  const enqueue = async (count: number, id: string, concurrency: number): Promise<void> =>
    await database.transaction(async (transaction) => {
      for (let index = 0; index < count; index += 1)
        await jobs.enqueue(transaction, kind, { group: id }, { group: { id, concurrency } });
    });
  // Both lanes of the slow group get some of so many jobs.
  await enqueue(60, "slow", 2);
  await enqueue(10, "quick", 5);
  await others.promise;
  release.resolve();
  await jobs.close();
  assert.ok(mostWaiting >= 1 && mostWaiting <= 2, `${mostWaiting} at once`);
  await close();
});
