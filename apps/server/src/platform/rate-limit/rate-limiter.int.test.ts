import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { createTestDatabase } from "../database/testing.ts";
import { RateLimiter } from "./rate-limiter.ts";

const limit = { requests: 3, windowSeconds: 60 };

/** Two nodes on one database. */
async function open() {
  const { database, close } = await createTestDatabase();
  let nowMs = Date.parse("2026-11-21T09:00:00Z");
  const now = (): Date => new Date(nowMs);
  const createNode = () =>
    new RateLimiter(database, { now }, async () => assert.fail("this limit is a number"));
  const use = { organizationId: randomUUID(), name: "createTestCall" };
  return {
    close,
    use,
    now,
    node: createNode(),
    otherNode: createNode(),
    letPass: (ms: number): void => void (nowMs += ms),
  };
}

test("allowed uses count in a sliding window", async () => {
  const { node, use, now, letPass, close } = await open();
  const allowed = async (remaining: number, resetMs: number): Promise<void> =>
    assert.deepEqual(await node.take(use, limit), {
      isAllowed: true,
      at: now(),
      remaining,
      resetMs,
      limit: 3,
    });
  const refused = async (resetMs: number): Promise<void> =>
    assert.deepEqual(await node.take(use, limit), {
      isAllowed: false,
      at: now(),
      remaining: 0,
      resetMs,
      limit: 3,
    });
  await allowed(2, 60_000);
  letPass(50_000);
  await allowed(1, 10_000);
  await allowed(0, 10_000);
  await refused(10_000);
  letPass(10_000);
  await allowed(0, 50_000);
  await refused(50_000);
  await close();
});

test("all nodes share a limit, also for concurrent requests", async () => {
  const { node, otherNode, use, close } = await open();
  const verdicts = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => await (index % 2 ? node : otherNode).take(use, limit)),
  );
  assert.equal(verdicts.filter(({ isAllowed }) => isAllowed).length, 3);
  await close();
});

test("each organization and operation has its own limit", async () => {
  const { node, use, close } = await open();
  for (let index = 0; index < 3; index += 1) await node.take(use, limit);
  assert.equal((await node.take(use, limit)).isAllowed, false);
  assert.equal((await node.take({ ...use, organizationId: randomUUID() }, limit)).isAllowed, true);
  assert.equal((await node.take({ ...use, name: "other" }, limit)).isAllowed, true);
  await close();
});

test("rejected uses do not count", async () => {
  const { node, use, letPass, close } = await open();
  for (let index = 0; index < 3; index += 1) await node.take(use, limit);
  for (let index = 0; index < 5; index += 1) {
    letPass(10_000);
    assert.equal((await node.take(use, limit)).isAllowed, false);
  }
  letPass(10_000);
  assert.equal((await node.take(use, limit)).remaining, 2);
  await close();
});

test("a returned use does not count, and is returned once", async () => {
  const { node, otherNode, use, now, letPass, close } = await open();
  const first = await node.take(use, limit);
  // Another of the same moment, which goes on counting.
  await otherNode.take(use, limit);
  letPass(1_000);
  await node.take(use, limit);
  await otherNode.giveBack(use, first.at);
  assert.deepEqual(await node.take(use, limit), {
    isAllowed: true,
    at: now(),
    remaining: 0,
    resetMs: 59_000,
    limit: 3,
  });
  await node.giveBack(use, new Date(0));
  assert.equal((await node.take(use, limit)).isAllowed, false);
  await close();
});
