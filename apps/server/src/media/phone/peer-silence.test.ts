import assert from "node:assert/strict";
import { test } from "node:test";
import { PeerSilence } from "./peer-silence.ts";

const LIMIT_MS = 3_000;

/** Checks every second from one time to another, both included. Returns what was reported. */
function checkEverySecond(silence: PeerSilence, fromMs: number, toMs: number, lastAtMs?: number): number[] {
  const reports: number[] = [];
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 1_000) {
    const silentMs = silence.check(nowMs, lastAtMs, LIMIT_MS);
    if (silentMs !== undefined) reports.push(silentMs);
  }
  return reports;
}

test("the silence is measured from the first check or the last packet, and reported once", () => {
  assert.deepEqual(checkEverySecond(new PeerSilence(), 10_000, 20_000), [3_000]);
  assert.deepEqual(checkEverySecond(new PeerSilence(), 10_000, 20_000, 11_500), [3_500]);
});

test("after a restart or a stall of this process the silence is measured anew", () => {
  const restarted = new PeerSilence();
  assert.deepEqual(checkEverySecond(restarted, 0, 2_000), []);
  restarted.restart();
  assert.deepEqual(checkEverySecond(restarted, 3_000, 5_000), []);
  assert.deepEqual(checkEverySecond(restarted, 6_000, 6_000), [3_000]);

  const stalled = new PeerSilence();
  assert.deepEqual(checkEverySecond(stalled, 0, 2_000), []);
  assert.deepEqual(checkEverySecond(stalled, 9_000, 11_000), []);
  assert.deepEqual(checkEverySecond(stalled, 12_000, 12_000), [3_000]);
});

test("a restart after the report does not report again", () => {
  const silence = new PeerSilence();
  assert.equal(checkEverySecond(silence, 0, 3_000).length, 1);
  silence.restart();
  assert.deepEqual(checkEverySecond(silence, 4_000, 20_000), []);
});
