import assert from "node:assert/strict";
import { test } from "node:test";
import { LAG_BOUNDS_MS } from "./lag-statistics.ts";
import { MediaWheel, type WheelScheduler } from "./media-wheel.ts";

/** A clock advanced by the test; timers fire when it reaches them, at least 1 ms after they were set. */
class FakeScheduler implements WheelScheduler {
  nowMs = 1000.25;
  #timer: { callback: () => void; atMs: number } | undefined;

  now(): number {
    return this.nowMs;
  }

  schedule(callback: () => void, delayMs: number): () => void {
    assert.equal(this.#timer, undefined, "one timer at a time");
    assert.ok(delayMs >= 1);
    const timer = { callback, atMs: this.nowMs + delayMs };
    this.#timer = timer;
    return () => {
      if (this.#timer === timer) {
        this.#timer = undefined;
      }
    };
  }

  get isArmed(): boolean {
    return this.#timer !== undefined;
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.#timer !== undefined && this.#timer.atMs <= endMs) {
      const { callback, atMs } = this.#timer;
      this.#timer = undefined;
      this.nowMs = Math.max(this.nowMs, atMs);
      callback();
    }
    this.nowMs = Math.max(this.nowMs, endMs);
  }

  /** Simulates a stall: time passes and no timer fires. */
  stall(ms: number): void {
    this.nowMs += ms;
  }
}

interface Call {
  dueMs: number;
  tick: number;
  atMs: number;
}

function setUp(options: { onPhaseEnd?: (dueMs: number) => void } = {}) {
  const scheduler = new FakeScheduler();
  const errors: unknown[] = [];
  const wheel = new MediaWheel({ ...options, scheduler, onError: (error) => errors.push(error) });
  const addRecorder = () => {
    const calls: Call[] = [];
    const handle = wheel.add((dueMs, tick) => calls.push({ dueMs, tick, atMs: scheduler.nowMs }));
    return { calls, handle };
  };
  return { scheduler, wheel, errors, addRecorder };
}

test("each member is called every 20 ms, with consecutive ticks and the time it was due", () => {
  const { scheduler, addRecorder } = setUp();
  const { calls } = addRecorder();
  scheduler.advance(999);
  assert.equal(calls.length, 50);
  for (const [i, call] of calls.entries()) {
    assert.equal(call.dueMs, (calls[0]?.dueMs ?? 0) + 20 * i);
    assert.equal(call.tick, (calls[0]?.tick ?? 0) + i);
    assert.ok(Math.abs(call.atMs - call.dueMs) <= 1);
  }
});

test("members are spread evenly over the 20 phases, also after some have left", () => {
  const { scheduler, addRecorder } = setUp();
  const members = Array.from({ length: 60 }, addRecorder);
  members.slice(0, 20).forEach(({ handle }) => handle.remove());
  const more = Array.from({ length: 20 }, addRecorder);
  scheduler.advance(21);
  const perPhase = new Map<number, number>();
  for (const { calls } of [...members.slice(20), ...more]) {
    const phase = Math.round(calls[0]?.dueMs ?? 0) % 20;
    perPhase.set(phase, (perPhase.get(phase) ?? 0) + 1);
  }
  assert.deepEqual(
    [...perPhase.values()],
    Array.from({ length: 20 }, () => 3),
  );
});

test("without members no timer runs", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  assert.equal(scheduler.isArmed, false);
  const { handle, calls } = addRecorder();
  assert.equal(scheduler.isArmed, true);
  handle.remove();
  handle.remove();
  assert.equal(wheel.memberCount, 0);
  assert.equal(scheduler.isArmed, false);
  scheduler.advance(100);
  assert.equal(calls.length, 0);
});

test("time without members is neither caught up nor counted as dropped", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  addRecorder().handle.remove();
  scheduler.advance(5000);
  const { calls } = addRecorder();
  scheduler.advance(19);
  assert.equal(calls.length, 1);
  assert.equal(wheel.droppedTicks, 0);
  assert.ok((calls[0]?.tick ?? 0) >= 250);
});

test("a short stall is caught up", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  const { calls } = addRecorder();
  scheduler.advance(100);
  scheduler.stall(50);
  scheduler.advance(49);
  assert.equal(calls.length, 10);
  assert.equal(wheel.droppedTicks, 0);
});

test("after a long stall, three frames are caught up, and the others are dropped, counted and missing in the ticks", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  const { calls } = addRecorder();
  scheduler.advance(100);
  const before = calls.length;
  scheduler.stall(1000);
  scheduler.advance(0);
  assert.equal(calls.length - before, 3);
  assert.equal(wheel.droppedTicks, 47);
  assert.equal((calls[before]?.tick ?? 0) - (calls[before - 1]?.tick ?? 0), 48);
  scheduler.advance(200);
  assert.equal(calls.length - before, 13);
});

test("the phase end is called once for each phase that has members, after all of them", () => {
  const order: string[] = [];
  const { scheduler, wheel } = setUp({ onPhaseEnd: () => order.push("end") });
  for (let i = 0; i < 21; i++) {
    wheel.add(() => order.push("member"));
  }
  scheduler.advance(19.4);
  assert.equal(order.filter((entry) => entry === "end").length, 20);
  assert.equal(order.join(" ").includes("member member end"), true);
  assert.equal(order.join(" ").includes("end end"), false);
});

test("an error of a member or the phase end is reported and does not stop the others", () => {
  let ends = 0;
  const { scheduler, wheel, errors, addRecorder } = setUp({
    onPhaseEnd: () => {
      ends++;
      throw new Error("end");
    },
  });
  wheel.add(() => {
    throw new Error("member");
  });
  const { calls } = addRecorder();
  scheduler.advance(39);
  assert.equal(calls.length, 2);
  assert.equal(ends, 4);
  assert.equal(errors.length, 6);
});

test("a member may remove itself and add others during a turn", () => {
  const { scheduler, wheel } = setUp();
  let calls = 0;
  const handle = wheel.add(() => {
    calls++;
    handle.remove();
    wheel.add(() => calls++);
  });
  scheduler.advance(21);
  assert.equal(wheel.memberCount, 1);
  scheduler.advance(40);
  assert.ok(calls >= 3);
});

test("a member removed by another one of its phase is not called", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  let victim: { remove(): void } | undefined;
  wheel.add(() => victim?.remove());
  for (let i = 1; i < 20; i++) {
    addRecorder();
  }
  const { handle, calls } = addRecorder();
  victim = handle;
  scheduler.advance(100);
  assert.equal(calls.length, 0);
});

test("the reported lag covers the last 10 s, including stalls", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  addRecorder();
  assert.equal(wheel.lagP99Ms, 0);
  scheduler.advance(1000);
  assert.ok(wheel.lagP99Ms <= 1.1);
  scheduler.stall(300);
  scheduler.advance(0);
  assert.ok(wheel.lagP99Ms >= 60);
  scheduler.advance(11_000);
  assert.ok(wheel.lagP99Ms <= 1.1);
});

test("each call of a member is counted once by its lag", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  addRecorder();
  scheduler.advance(1000);
  const counts = wheel.takeLagCounts();
  assert.equal(counts.length, LAG_BOUNDS_MS.length + 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  assert.ok(total >= 49 && total <= 51, `${total} calls in a second`);
  scheduler.stall(300);
  scheduler.advance(0);
  const late = wheel.takeLagCounts();
  assert.ok((late.at(-1) ?? 0) > 0, "no lag above the last bound");
  assert.equal(
    wheel.takeLagCounts().reduce((sum, count) => sum + count, 0),
    0,
  );
});

test("close removes all members and may be called again", () => {
  const { scheduler, wheel, addRecorder } = setUp();
  const { calls, handle } = addRecorder();
  wheel.close();
  wheel.close();
  handle.remove();
  scheduler.advance(100);
  assert.equal(calls.length, 0);
  assert.equal(wheel.memberCount, 0);
});

test("the real timer turns the wheel at its pace", async () => {
  const wheel = new MediaWheel({ onError: (error) => assert.fail(String(error)) });
  const ticks: number[] = [];
  await new Promise<void>((resolve) => {
    wheel.add((_dueMs, tick) => {
      if (ticks.push(tick) === 5) {
        resolve();
      }
    });
  });
  wheel.close();
  assert.ok((ticks.at(-1) ?? 0) - (ticks[0] ?? 0) >= 4);
});
