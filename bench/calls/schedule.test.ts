import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlannedLoad, scheduleLoad } from "./schedule.ts";

const planned: readonly PlannedLoad[] = [
  { calls: 10, seconds: 60 },
  { calls: 200, seconds: 60 },
];

test("each load is measured as long as planned if the time permits", () => {
  assert.deepEqual(scheduleLoad(planned, 600), { restSeconds: 120, seconds: 60 });
});

test("with less time the loads that are left share what is free of placing and ending calls", () => {
  const { restSeconds, seconds } = scheduleLoad(planned, 171);
  assert.equal(seconds, 30);
  assert.equal(restSeconds, 0);
});

test("without time left a load is still measured for ten seconds", () => {
  assert.deepEqual(scheduleLoad(planned, -5), { restSeconds: 0, seconds: 10 });
});

test("a load that is planned shorter is not measured longer", () => {
  assert.equal(scheduleLoad([{ calls: 1, seconds: 5 }], 0).seconds, 5);
});
