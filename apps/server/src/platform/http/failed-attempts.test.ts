import assert from "node:assert/strict";
import test from "node:test";
import { FailedAttempts, sourceOf } from "./failed-attempts.ts";

test("a source may fail 60 times at once, then once a second, independent of other sources", () => {
  let nowMs = 5_000;
  const attempts = new FailedAttempts(() => nowMs);
  for (let count = 0; count < 60; count++) assert.equal(attempts.note("192.0.2.1"), 0);
  for (let count = 0; count < 1_000; count++) assert.equal(attempts.note("192.0.2.1"), 1_000);
  assert.equal(attempts.note("192.0.2.2"), 0);
  nowMs += 400;
  assert.equal(attempts.note("192.0.2.1"), 600);
  nowMs += 600;
  assert.equal(attempts.note("192.0.2.1"), 0);
  assert.equal(attempts.note("192.0.2.1"), 1_000);
});

test("the sources of the oldest failures are removed for newer ones", () => {
  const attempts = new FailedAttempts(() => 0);
  for (let count = 0; count < 61; count++) attempts.note("192.0.2.1");
  for (let each = 0; each < 10_000; each++) attempts.note(`10.0.${each >> 8}.${each & 255}`);
  assert.equal(attempts.note("192.0.2.1"), 0);
});

test("a source is an IPv4 address in any notation, or a /64 IPv6 network", () => {
  assert.equal(sourceOf("192.0.2.1"), "192.0.2.1");
  assert.equal(sourceOf("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(sourceOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(sourceOf("2001:db8:1:2::9"), "2001:db8:1:2");
  assert.equal(sourceOf("2001:db8::1:2:3:4:5"), "2001:db8:0:1");
  assert.equal(sourceOf("::1"), "0:0:0:0");
});
