import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { seededRandom } from "@parley/testing";
import { Shares } from "./shares.ts";

test("an owner's work beyond its share waits in order, and others' work does not wait for it", async () => {
  const shares = new Shares();
  const begun: string[] = [];
  const take = async (key: string, name: string): Promise<Disposable> => {
    const share = await shares.take(key, 2);
    begun.push(name);
    return share;
  };
  const first = await take("a", "a1");
  await take("a", "a2");
  const third = take("a", "a3");
  const fourth = take("a", "a4");
  await take("b", "b1");
  assert.deepEqual([begun, shares.countWaiting("a"), shares.countWaiting("b")], [["a1", "a2", "b1"], 2, 0]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  await fourth;
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3", "a4"]);
});

test("work whose signal aborts leaves the queue, and the next one gets its place", async () => {
  const shares = new Shares();
  const first = await shares.take("a", 1);
  const left = new AbortController();
  const second = shares.take("a", 1, left.signal);
  const third = shares.take("a", 1, new AbortController().signal);
  left.abort(new Error("the client has gone"));
  await assert.rejects(second, /the client has gone/);
  assert.equal(shares.countWaiting("a"), 1);
  await assert.rejects(shares.take("b", 1, left.signal), /the client has gone/);
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  (await shares.take("a", 1))[Symbol.dispose]();
});

test("no more than the share of an owner ever runs, and nothing is left behind", async () => {
  const random = seededRandom(7);
  const shares = new Shares();
  const running = new Map<string, number>();
  let most = 0;
  const work = Array.from({ length: 2_000 }, async (_, index) => {
    const key = `owner ${index % 3}`;
    const share = await shares.take(key, 4);
    const count = (running.get(key) ?? 0) + 1;
    running.set(key, count);
    most = Math.max(most, count);
    for (let steps = Math.floor(random() * 4); steps > 0; steps--) await setImmediate();
    running.set(key, (running.get(key) ?? 0) - 1);
    share[Symbol.dispose]();
  });
  await Promise.all(work);
  assert.equal(most, 4);
  assert.deepEqual([...running.values()], [0, 0, 0]);
});
