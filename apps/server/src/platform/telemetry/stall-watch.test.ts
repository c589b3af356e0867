import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StallWatch } from "./stall-watch.ts";

/** A thread whose timer comes `afterMs` after the last time, having had `cpuMs` of the processor. */
function watch(context: TestContext) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  let [nowMs, cpuMs] = [1000, 50];
  const stalls: number[] = [];
  const watched = new StallWatch((ms) => stalls.push(ms), { nowMs: () => nowMs, cpuMs: () => cpuMs });
  context.after(() => watched.close());
  const turn = (after: { afterMs: number; cpuMs: number }): void => {
    nowMs += after.afterMs;
    cpuMs += after.cpuMs;
    context.mock.timers.tick(20);
  };
  return { stalls, turn };
}

test("a timer that is late because the thread was computing reports a stall of that length", (context) => {
  const { stalls, turn } = watch(context);
  turn({ afterMs: 20, cpuMs: 15 });
  turn({ afterMs: 320, cpuMs: 310 });
  turn({ afterMs: 20, cpuMs: 0 });
  assert.deepEqual(stalls, [300]);
});

test("a timer that is late because of other processes reports no stall", (context) => {
  const { stalls, turn } = watch(context);
  turn({ afterMs: 5000, cpuMs: 2 });
  assert.deepEqual(stalls, []);
});

test("only the thread's own time counts toward a stall", (context) => {
  const { stalls, turn } = watch(context);
  turn({ afterMs: 1020, cpuMs: 120 });
  assert.deepEqual(stalls, [120]);
});

test("the thread's clock measures its computing time", async () => {
  const stalls: number[] = [];
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const watched = new StallWatch((ms) => {
    stalls.push(ms);
    resolve();
  });
  const before = process.threadCpuUsage();
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  while (usedMs() < 150);
  // The watch keeps no process running.
  const keepRunning = setInterval(() => {}, 1000);
  await told;
  clearInterval(keepRunning);
  watched.close();
  assert.ok((stalls[0] ?? 0) >= 100, `${stalls[0]} ms`);
});
