import assert from "node:assert/strict";
import test from "node:test";
import type { Clock } from "@parley/sip";
import { SourceLimit } from "./source-limit.ts";

function createLimit() {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, schedule: () => ({ cancel: () => undefined }) };
  const limit = new SourceLimit({ burst: 30, intervalMs: 2_000, clock });
  return { limit, wait: (durationMs: number) => void (nowMs += durationMs) };
}

function take(limit: SourceLimit, address: string, times: number): number {
  return Array.from({ length: times }, () => limit.take(address)).filter(Boolean).length;
}

test("a source has a burst, then one event per interval, independent of other sources", () => {
  const { limit, wait } = createLimit();
  assert.equal(take(limit, "192.0.2.1", 100), 30);
  assert.deepEqual([limit.isReached("192.0.2.1"), limit.isReached("192.0.2.2")], [true, false]);
  wait(2_000);
  assert.equal(limit.isReached("192.0.2.1"), false);
  assert.equal(take(limit, "192.0.2.1", 100), 1);
  wait(3_600_000);
  assert.equal(take(limit, "192.0.2.1", 100), 30);
});

test("attempts beyond the limit do not prolong it", () => {
  const { limit, wait } = createLimit();
  take(limit, "192.0.2.1", 30);
  for (let attempts = 0; attempts < 19; attempts++) {
    wait(100);
    limit.take("192.0.2.1");
  }
  assert.equal(limit.isReached("192.0.2.1"), true);
  wait(100);
  assert.equal(limit.take("192.0.2.1"), true);
});

test("the number of remembered sources is bounded", () => {
  const { limit } = createLimit();
  take(limit, "192.0.2.1", 30);
  for (let i = 0; i < 10_000; i++) limit.take(`10.0.${i >> 8}.${i & 255}`);
  assert.equal(limit.isReached("192.0.2.1"), false);
});
