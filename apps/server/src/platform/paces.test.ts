import assert from "node:assert/strict";
import { test } from "node:test";
import { Paces } from "./paces.ts";

const PACE = { perSecond: 10, burst: 3 };

function setUp() {
  let nowMs = 0;
  const waits: { ms: number; resolve: () => void }[] = [];
  const paces = new Paces({
    nowMs: () => nowMs,
    wait: async (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      waits.push({ ms, resolve });
      await promise;
    },
  });
  const { signal } = new AbortController();
  return {
    paces,
    waits,
    take: async (key = "one") => await paces.wait(key, PACE, signal),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("a burst goes on at once, and the rest one by one in its order", async () => {
  const { take, paces, waits } = setUp();
  await Promise.all([take(), take(), take()]);
  const late = [take(), take()];
  assert.deepEqual(
    waits.map(({ ms }) => Math.round(ms)),
    [100, 200],
  );
  assert.equal(paces.countWaiting("one"), 2);
  for (const { resolve } of waits) resolve();
  await Promise.all(late);
  assert.equal(paces.countWaiting("one"), 0);
});

test("an owner neither waits for another one, nor gathers more than a burst while it pauses", async () => {
  const { take, pass, waits } = setUp();
  await Promise.all([take(), take(), take()]);
  await take("other");
  pass(60_000);
  await Promise.all([take(), take(), take()]);
  void take();
  assert.equal(waits.length, 1);
});

test("work that is given up waits no longer", async () => {
  const { paces, take } = setUp();
  await Promise.all([take(), take(), take()]);
  const gone = new AbortController();
  const waiting = paces.wait("one", PACE, gone.signal);
  const reason = new Error("the client has gone");
  gone.abort(reason);
  await assert.rejects(waiting, reason);
  assert.equal(paces.countWaiting("one"), 0);
});
