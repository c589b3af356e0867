import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDateTime, isTimezone } from "./timezone.ts";

const AT = new Date("2026-01-31T23:30:00Z");

test("a time is written in its timezone, in either style, by a kept format too", () => {
  for (let round = 0; round < 2; round += 1) {
    assert.equal(formatDateTime(AT, "Asia/Tokyo", "full"), "Sunday, 1 February 2026 at 08:30");
    assert.equal(formatDateTime(AT, "Asia/Tokyo", "medium"), "1 Feb 2026, 08:30");
    assert.equal(formatDateTime(AT, "America/New_York", "medium"), "31 Jan 2026, 18:30");
  }
});

test("more spellings of timezones than are kept change nothing", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  for (const zone of zones) formatDateTime(AT, zone.toLowerCase(), "medium");
  assert.equal(formatDateTime(AT, "Asia/Tokyo", "medium"), "1 Feb 2026, 08:30");
  assert.throws(() => formatDateTime(AT, "Mars/Base", "full"), RangeError);
});

test("a timezone is a name of the IANA database, not an offset", () => {
  assert.deepEqual(["Europe/Berlin", "UTC", "+02:00", "Mars/Base", ""].map(isTimezone), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
