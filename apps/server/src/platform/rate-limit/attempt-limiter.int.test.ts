import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createTestDatabase } from "../database/testing.ts";
import { AttemptLimiter, deleteClearedAttempts } from "./attempt-limiter.ts";

/** Two nodes on one database. */
async function open(context: TestContext) {
  const { database, close } = await createTestDatabase();
  context.after(async () => await close());
  let nowMs = Date.parse("2026-11-22T09:00:00Z");
  const clock = { now: (): Date => new Date(nowMs) };
  const createNode = (name = "sign-in") =>
    new AttemptLimiter(database, clock, { name, burst: 3, intervalMs: 10_000 });
  return {
    database,
    clock,
    createNode,
    node: createNode(),
    otherNode: createNode(),
    letPass: (ms: number): void => void (nowMs += ms),
  };
}

test("a burst is allowed, then one attempt in each interval; rejected ones do not count", async (context) => {
  const { node, letPass } = await open(context);
  for (let index = 0; index < 3; index += 1) assert.equal(await node.take("ada"), 0);
  assert.equal(await node.take("ada"), 10_000);
  letPass(4_000);
  assert.equal(await node.take("ada"), 6_000);
  letPass(6_000);
  assert.equal(await node.take("ada"), 0);
  assert.equal(await node.take("ada"), 10_000);
  letPass(60_000);
  for (let index = 0; index < 3; index += 1) assert.equal(await node.take("ada"), 0);
  assert.ok((await node.take("ada")) > 0);
});

test("nodes count together, also for concurrent attempts", async (context) => {
  const { node, otherNode } = await open(context);
  const waits = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => await (index % 2 ? node : otherNode).take("ada")),
  );
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 3);
});

test("each key and each limit counts by itself, and a success is taken back on any node", async (context) => {
  const { node, otherNode, createNode } = await open(context);
  for (let index = 0; index < 3; index += 1) await node.take("ada");
  assert.equal(await otherNode.take("bob"), 0);
  assert.equal(await createNode("reset").take("ada"), 0);
  await otherNode.giveBack("ada");
  assert.equal(await node.take("ada"), 0);
  assert.ok((await node.take("ada")) > 0);
});

test("nothing is stored in clear, or longer than it counts", async (context) => {
  const { node, database, clock, letPass } = await open(context);
  await node.take("ada@example.com");
  await node.take("bob@example.com");
  const rows = async () => (await database.$client.query("select * from attempt_limits")).rows;
  assert.ok(!JSON.stringify(await rows()).includes("example"));
  letPass(9_000);
  await node.take("bob@example.com");
  letPass(2_000);
  await deleteClearedAttempts(database, clock.now());
  assert.equal((await rows()).length, 1);
});
