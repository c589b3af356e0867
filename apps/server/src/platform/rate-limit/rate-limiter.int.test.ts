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
  const createNode = () => new RateLimiter(database, () => new Date(nowMs));
  const use = { organizationId: randomUUID(), name: "createTestCall" };
  return {
    close,
    use,
    node: createNode(),
    otherNode: createNode(),
    letPass: (ms: number): void => void (nowMs += ms),
  };
}

test("what was allowed counts for as long as the limit says, in any stretch of time", async () => {
  const { node, use, letPass, close } = await open();
  assert.deepEqual(await node.take(use, limit), { isAllowed: true, remaining: 2, resetMs: 60_000 });
  letPass(50_000);
  assert.deepEqual(await node.take(use, limit), { isAllowed: true, remaining: 1, resetMs: 10_000 });
  assert.deepEqual(await node.take(use, limit), { isAllowed: true, remaining: 0, resetMs: 10_000 });
  const refused = { isAllowed: false, remaining: 0 };
  assert.deepEqual(await node.take(use, limit), { ...refused, resetMs: 10_000 });
  letPass(10_000);
  assert.deepEqual(await node.take(use, limit), { isAllowed: true, remaining: 0, resetMs: 50_000 });
  assert.deepEqual(await node.take(use, limit), { ...refused, resetMs: 50_000 });
  await close();
});

test("all nodes count together, however many ask at once", async () => {
  const { node, otherNode, use, close } = await open();
  const verdicts = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => await (index % 2 ? node : otherNode).take(use, limit)),
  );
  assert.equal(verdicts.filter(({ isAllowed }) => isAllowed).length, 3);
  await close();
});

test("another organization and another operation have limits of their own", async () => {
  const { node, use, close } = await open();
  for (let index = 0; index < 3; index += 1) await node.take(use, limit);
  assert.equal((await node.take(use, limit)).isAllowed, false);
  assert.equal((await node.take({ ...use, organizationId: randomUUID() }, limit)).isAllowed, true);
  assert.equal((await node.take({ ...use, name: "other" }, limit)).isAllowed, true);
  await close();
});

test("what is refused does not count: who goes on asking is let in as soon as who waits", async () => {
  const { node, use, letPass, close } = await open();
  for (let index = 0; index < 3; index += 1) await node.take(use, limit);
  for (let index = 0; index < 5; index += 1) {
    letPass(10_000);
    assert.equal((await node.take(use, limit)).isAllowed, false);
  }
  letPass(10_000);
  assert.deepEqual(await node.take(use, limit), { isAllowed: true, remaining: 2, resetMs: 60_000 });
  await close();
});
