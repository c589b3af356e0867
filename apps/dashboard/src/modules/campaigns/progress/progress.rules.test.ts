import assert from "node:assert/strict";
import { test } from "node:test";
import { describeInterval, describeWait, toPoints } from "./progress.rules.ts";

test("a wait is told in its largest unit", () => {
  const now = Date.parse("2026-11-23T09:00:00Z");
  assert.equal(describeWait("2026-11-23T08:00:00Z", now), "now");
  assert.equal(describeWait("2026-11-23T09:00:20Z", now), "in 20 seconds");
  assert.equal(describeWait("2026-11-23T09:12:00Z", now), "in 12 minutes");
  assert.equal(describeWait("2026-11-24T08:00:00Z", now), "in 23 hours");
  assert.equal(describeWait("2026-11-24T09:00:00Z", now), "tomorrow");
});

test("intervals are told by their unit", () => {
  assert.deepEqual([60, 900, 3_600, 14_400, 86_400].map(describeInterval), [
    "minute",
    "15 minutes",
    "hour",
    "4 hours",
    "day",
  ]);
});

test("contacts that are done add up over the intervals", () => {
  const none = { answered: 0, voicemail: 0, no_answer: 0, busy: 0, failed: 0, canceled: 0 };
  const intervals = [
    { startsAt: "2026-11-23T09:00:00.000Z", attempts: { ...none, answered: 2, busy: 1 }, contactsDone: 2 },
    { startsAt: "2026-11-23T09:01:00.000Z", attempts: none, contactsDone: 0 },
    { startsAt: "2026-11-23T09:02:00.000Z", attempts: { ...none, answered: 1 }, contactsDone: 2 },
  ];
  const points = toPoints({ intervalSeconds: 60, intervals });
  assert.deepEqual(
    points.map(({ done, answered }) => [done, answered]),
    [
      [2, 2],
      [2, 0],
      [4, 1],
    ],
  );
});
