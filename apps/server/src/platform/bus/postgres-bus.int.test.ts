import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type TestDatabase, createTestDatabase } from "../database/testing.ts";
import { createLogger } from "../logging/logging.ts";
import { PostgresBus } from "./postgres-bus.ts";

const logger = createLogger({ level: "silent" });

async function openBus(context: TestContext): Promise<{ bus: PostgresBus; testDatabase: TestDatabase }> {
  const testDatabase = await createTestDatabase();
  const { database, connectionString } = testDatabase;
  const bus = await PostgresBus.start({ database, connectionString, logger });
  context.after(async () => {
    await bus.close();
    await bus.close();
    await testDatabase.close();
  });
  return { bus, testDatabase };
}

/** Resolves with the next `count` messages of a topic. */
async function listen(bus: PostgresBus, topic: string, count: number): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const heard: string[] = [];
  const stop = bus.subscribe(topic, (id) => {
    heard.push(id);
    if (heard.length === count) resolve(heard);
  });
  return await promise.finally(stop);
}

test("a message reaches the listeners of its topic once its transaction commits", async (context) => {
  const { bus, testDatabase } = await openBus(context);
  const { database } = testDatabase;
  const heard = listen(bus, "calls", 2);
  await assert.rejects(
    database.transaction(async (transaction) => {
      await bus.publish(transaction, "calls", "rolled-back");
      throw new Error("no");
    }),
  );
  await bus.publish(database, "agents", "other");
  await database.transaction(async (transaction) => await bus.publish(transaction, "calls", "first"));
  await bus.publish(database, "calls", "second");
  assert.deepEqual(await heard, ["first", "second"]);
});

test("an unsubscribed listener is not called", async (context) => {
  const { bus, testDatabase } = await openBus(context);
  const stop = bus.subscribe("calls", () => assert.fail("it was called"));
  stop();
  stop();
  const heard = listen(bus, "calls", 1);
  await bus.publish(testDatabase.database, "calls", "1");
  assert.deepEqual(await heard, ["1"]);
});

test("a broken connection is reopened, and listeners are notified of possibly missed messages", async (context) => {
  const { bus, testDatabase } = await openBus(context);
  const { database } = testDatabase;
  const reconnected = new Promise<void>((resolve) => bus.onReconnect(resolve));
  await database.execute(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley-bus' and datname = current_database()",
  );
  await reconnected;
  const heard = listen(bus, "calls", 1);
  await bus.publish(database, "calls", "after");
  assert.deepEqual(await heard, ["after"]);
});

test("a direct address of another database is rejected at start", async (context) => {
  const one = await createTestDatabase();
  const other = await createTestDatabase();
  context.after(async () => {
    await one.close();
    await other.close();
  });
  await assert.rejects(
    PostgresBus.start({ database: one.database, connectionString: other.connectionString, logger }),
    /set PARLEY_DATABASE_DIRECT_URL to a connection to the same database/,
  );
});
