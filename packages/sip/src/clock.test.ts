import assert from "node:assert/strict";
import { test } from "node:test";
import { guardClock } from "./clock.ts";
import { ManualClock } from "./testing/manual-clock.ts";

test("an error in a timer is reported, and later timers fire", async () => {
  const manual = new ManualClock();
  const faults: unknown[] = [];
  const clock = guardClock(manual, (error) => faults.push(error));
  const fault = new Error("in a timer");
  let fired = 0;
  clock.schedule(1, () => {
    throw fault;
  });
  clock.schedule(2, () => fired++);
  clock.schedule(2, () => fired++).cancel();
  await manual.advance(5);
  assert.deepEqual(faults, [fault]);
  assert.equal(fired, 1);
});
