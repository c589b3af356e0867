import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { seededRandom } from "@parley/testing";
import { FairQueue } from "./fair-queue.ts";

test("an owner alone has all the room; another one that comes is next, whatever waits before it", async () => {
  const queue = new FairQueue(3);
  const begun: string[] = [];
  const take = async (key: string): Promise<Disposable> => {
    const turn = await queue.take(key);
    begun.push(key);
    return turn;
  };
  const running = await Promise.all([take("flood"), take("flood"), take("flood")]);
  const waiting = Array.from({ length: 10 }, async () => await take("flood"));
  const others = [take("other"), take("other"), take("third")];
  for (const turn of running) turn[Symbol.dispose]();
  await setImmediate();
  assert.deepEqual(begun.slice(3).sort(), ["flood", "other", "third"].sort());
  for (const turn of await Promise.all(others.slice(0, 1))) {
    turn[Symbol.dispose]();
    turn[Symbol.dispose]();
  }
  await setImmediate();
  assert.equal(begun.filter((key) => key === "other").length, 2);
  assert.equal(begun.length, 7);
  assert.equal(waiting.length, 10);
});

test("all work runs, never more at once than there is room for", async () => {
  const random = seededRandom(11);
  const queue = new FairQueue(4);
  let running = 0;
  let most = 0;
  const work = Array.from({ length: 3_000 }, async (_, index) => {
    using _turn = await queue.take(`owner ${index % 5}`);
    running += 1;
    most = Math.max(most, running);
    for (let steps = Math.floor(random() * 4); steps > 0; steps--) await setImmediate();
    running -= 1;
  });
  await Promise.all(work);
  assert.deepEqual([most, running], [4, 0]);
  using _alone = await queue.take("anybody");
});
