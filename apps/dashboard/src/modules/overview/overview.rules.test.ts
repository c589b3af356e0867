import assert from "node:assert/strict";
import { test } from "node:test";
import { joinDays, rangeOf, ticksOf, totalsOf } from "./overview.rules.ts";

function day(date: string, calls: number, answered: number, billableSeconds = 0) {
  return { date, calls, answered, billableSeconds };
}

test("totals add up the days, and have no answer rate without calls", () => {
  const totals = totalsOf([day("2026-11-21", 3, 1, 90), day("2026-11-22", 1, 1, 30)]);
  assert.deepEqual(totals, { calls: 4, answered: 2, billableMinutes: 2, answerRate: 0.5 });
  assert.equal(totalsOf([day("2026-11-21", 0, 0)]).answerRate, undefined);
});

test("a period has its number of days, today included", () => {
  const now = new Date(2026, 10, 22, 18, 30, 10);
  const { from, to } = rangeOf("7d", now);
  assert.deepEqual(new Date(from), new Date(2026, 10, 16));
  assert.deepEqual(new Date(to), new Date(2026, 10, 22, 18, 31));
});

test("days of a long period are joined, and none is lost", () => {
  const days = Array.from({ length: 90 }, (_, index) => day(String(index), 2, 1));
  const spans = joinDays(days);
  assert.equal(spans.length, 30);
  assert.deepEqual(spans[1], { date: "3", answered: 3, unanswered: 3 });
  assert.equal(
    spans.reduce((sum, { answered, unanswered }) => sum + answered + unanswered, 0),
    180,
  );
  assert.equal(joinDays(days.slice(0, 30)).length, 30);
});

test("ticks are few round numbers that reach the largest value", () => {
  assert.deepEqual(ticksOf(0), [0, 1]);
  assert.deepEqual(ticksOf(1), [0, 1]);
  assert.deepEqual(ticksOf(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksOf(20), [0, 5, 10, 15, 20]);
  assert.deepEqual(ticksOf(1_001), [0, 500, 1_000, 1_500]);
  assert.deepEqual(ticksOf(36_000), [0, 10_000, 20_000, 30_000, 40_000]);
});
