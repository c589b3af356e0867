import assert from "node:assert/strict";
import test from "node:test";
import { chooseIntervalSeconds, presentActivity } from "./campaign-activity.rules.ts";

const at = (time: string): Date => new Date(`2026-11-23T${time}:00Z`);

test("intervals are as short as their number allows", () => {
  const choose = (last: string) => chooseIntervalSeconds(at("08:59"), new Date(last));
  assert.equal(choose("2026-11-23T08:59:00Z"), 60);
  assert.equal(choose("2026-11-23T10:34:00Z"), 60);
  assert.equal(choose("2026-11-23T10:35:00Z"), 300);
  assert.equal(choose("2026-11-24T08:00:00Z"), 900);
  assert.equal(choose("2026-12-08T00:00:00Z"), 14_400);
  assert.equal(choose("2027-11-23T00:00:00Z"), 86_400);
});

test("quiet intervals between others have zeros", () => {
  const counts = [
    { startsAt: at("09:00"), outcome: "busy", attempts: 2, contactsDone: 0 },
    { startsAt: at("09:00"), outcome: "answered", attempts: 3, contactsDone: 3 },
    { startsAt: at("09:10"), outcome: "canceled", attempts: 0, contactsDone: 7 },
  ] as const;
  const { intervals } = presentActivity(counts, 300);
  assert.deepEqual(
    intervals.map(({ startsAt, attempts, contactsDone }) => [
      startsAt.slice(11, 16),
      attempts["busy"],
      attempts["answered"],
      contactsDone,
    ]),
    [
      ["09:00", 2, 3, 3],
      ["09:05", 0, 0, 0],
      ["09:10", 0, 0, 7],
    ],
  );
  assert.deepEqual(presentActivity([], 60), { intervalSeconds: 60, intervals: [] });
});
