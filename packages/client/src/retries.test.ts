import assert from "node:assert/strict";
import { test } from "node:test";
import { nextWaitMs, readRetryAfter } from "./retries.ts";

test("Retry-After is read as seconds or as a date", () => {
  const nowMs = Date.parse("2026-11-21T12:00:00Z");
  assert.equal(readRetryAfter("7", nowMs), 7000);
  assert.equal(readRetryAfter("Sat, 21 Nov 2026 12:00:05 GMT", nowMs), 5000);
  assert.equal(readRetryAfter("Sat, 21 Nov 2026 11:00:00 GMT", nowMs), 0);
  assert.equal(readRetryAfter("soon", nowMs), undefined);
  assert.equal(readRetryAfter(null, nowMs), undefined);
});

test("delays double, and differ between clients", () => {
  assert.equal(nextWaitMs(0, 3, undefined, 1), 500);
  assert.equal(nextWaitMs(0, 3, undefined, 0), 250);
  assert.equal(nextWaitMs(2, 3, undefined, 1), 2000);
});

test("the server's Retry-After is respected up to the maximum", () => {
  assert.equal(nextWaitMs(0, 2, 4000, 0.5), 4000);
  assert.equal(nextWaitMs(0, 2, 60_000, 0.5), undefined);
});

test("the number of attempts is limited", () => {
  assert.equal(nextWaitMs(2, 2, 0, 0.5), undefined);
  assert.equal(nextWaitMs(0, 0, 0, 0.5), undefined);
});
