import assert from "node:assert/strict";
import test from "node:test";
import type { Clock } from "@parley/sip";
import { SourceGuard } from "./source-guard.ts";

function createGuard() {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, schedule: () => ({ cancel: () => undefined }) };
  return { guard: new SourceGuard(clock), wait: (durationMs: number) => void (nowMs += durationMs) };
}

function refuse(guard: SourceGuard, address: string, times: number): void {
  for (let i = 0; i < times; i++) guard.refused(address);
}

test("a source that is refused over and over is ignored until it has been quiet for a while", () => {
  const { guard, wait } = createGuard();
  refuse(guard, "192.0.2.1", 29);
  assert.equal(guard.isIgnored("192.0.2.1"), false);
  guard.refused("192.0.2.1");
  assert.equal(guard.isIgnored("192.0.2.1"), true);
  assert.equal(guard.isIgnored("192.0.2.2"), false);
  wait(2_000);
  assert.equal(guard.isIgnored("192.0.2.1"), false);
});

test("a few refusals now and then are never held against a source", () => {
  const { guard, wait } = createGuard();
  for (let i = 0; i < 200; i++) {
    guard.refused("192.0.2.1");
    wait(2_000);
  }
  assert.equal(guard.isIgnored("192.0.2.1"), false);
});

test("who has placed a call is listened to for a day, whatever else it dials", () => {
  const { guard, wait } = createGuard();
  refuse(guard, "192.0.2.1", 50);
  guard.admitted("192.0.2.1");
  refuse(guard, "192.0.2.1", 1_000);
  assert.equal(guard.isIgnored("192.0.2.1"), false);
  wait(86_400_000);
  refuse(guard, "192.0.2.1", 30);
  assert.equal(guard.isIgnored("192.0.2.1"), true);
});

test("however many sources there are, only so many are remembered", () => {
  const { guard } = createGuard();
  refuse(guard, "192.0.2.1", 30);
  for (let i = 0; i < 10_000; i++) guard.refused(`10.0.${i >> 8}.${i & 255}`);
  assert.equal(guard.isIgnored("192.0.2.1"), false);
});
