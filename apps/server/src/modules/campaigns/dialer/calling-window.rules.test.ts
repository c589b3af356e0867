import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "@parley/testing";
import { isOpen, localDay, nextOpenAt } from "./calling-window.rules.ts";
import { isOpenByIntl, zones } from "./testing.ts";

const MINUTE_MS = 60_000;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

const at = (text: string): Date => new Date(text);
const nextIn = (zone: string, start: string, end: string, from: string, days = everyDay) =>
  nextOpenAt({ start, end, days }, zone, at(from))?.toISOString();

test("a window is half-open: its first minute belongs to it, its end does not", () => {
  const window = { start: "09:00", end: "18:00", days: everyDay };
  const open = (time: string) => isOpen(window, "Europe/Berlin", at(`2026-01-15T${time}+01:00`));
  assert.deepEqual(["08:59:59.999", "09:00:00", "17:59:59.999", "18:00:00"].map(open), [
    false,
    true,
    true,
    false,
  ]);
});

test("a window across midnight belongs to the day on which it starts", () => {
  const friday = { start: "22:00", end: "02:00", days: [5] };
  const open = (time: string) => isOpen(friday, "UTC", at(time));
  assert.ok(open("2026-01-16T23:00:00Z"), "Friday night");
  assert.ok(open("2026-01-17T01:59:00Z"), "the small hours of Saturday");
  assert.ok(!open("2026-01-16T01:00:00Z"), "the small hours of Friday");
  assert.ok(!open("2026-01-17T22:30:00Z"), "Saturday night");
});

test("0 and 7 are Sunday, and 24:00 is the end of the day", () => {
  for (const day of [0, 7]) {
    assert.equal(nextIn("UTC", "23:30", "24:00", "2026-01-14T00:00:00Z", [day]), "2026-01-18T23:30:00.000Z");
  }
});

test("a window whose start daylight saving time skips opens with the change", () => {
  // In Berlin 02:00 to 03:00 does not exist on 2026-03-29.
  const opens = nextIn("Europe/Berlin", "02:30", "04:00", "2026-03-28T12:00:00Z");
  assert.equal(opens, "2026-03-29T01:00:00.000Z");
});

test("a window that daylight saving time skips as a whole opens on its next day", () => {
  const sundays = nextIn("Europe/Berlin", "02:10", "02:50", "2026-03-28T12:00:00Z", [7]);
  assert.equal(sundays, "2026-04-05T00:10:00.000Z");
});

test("when the clock is set back, a window is open whenever the wall clock is inside it", () => {
  // In Berlin 02:00 to 03:00 comes twice on 2026-10-25.
  const window = { start: "02:30", end: "03:30", days: everyDay };
  const open = (time: string) => isOpen(window, "Europe/Berlin", at(time));
  assert.ok(open("2026-10-25T00:45:00Z"), "02:45 the first time");
  assert.ok(!open("2026-10-25T01:15:00Z"), "02:15 the second time");
  assert.ok(open("2026-10-25T01:30:00Z"), "02:30 the second time");
  assert.equal(
    nextOpenAt(window, "Europe/Berlin", at("2026-10-25T01:00:00Z"))?.toISOString(),
    "2026-10-25T01:30:00.000Z",
  );
});

test("without a window any time is open", () => {
  const now = at("2026-01-01T03:00:00Z");
  assert.ok(isOpen(null, "UTC", now));
  assert.equal(nextOpenAt(null, "UTC", now), now);
});

test("a local day has 23 or 25 hours when the clock changes", () => {
  const hours = (zone: string, time: string): number => {
    const { startsAt, endsAt } = localDay(zone, at(time));
    return (endsAt.getTime() - startsAt.getTime()) / 3_600_000;
  };
  assert.equal(hours("Europe/Berlin", "2026-03-29T12:00:00Z"), 23);
  assert.equal(hours("America/New_York", "2026-11-01T12:00:00Z"), 25);
  assert.equal(hours("Asia/Kolkata", "2026-11-01T12:00:00Z"), 24);
});

/** Compares with an oracle that steps through the minutes of the wall clock, which Intl shows. */
test("random windows in a dozen time zones open when a wall clock says so, around every change of the clock", () => {
  const random = seededRandom(20);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const pad = (value: number): string => String(value).padStart(2, "0");
  for (let round = 0; round < 400; round++) {
    const { zone, changes } = pick(zones);
    const from = new Date(pick(changes).getTime() + Math.floor((random() - 0.5) * 40 * 60) * MINUTE_MS);
    const start = Math.floor(random() * 1440);
    // Short windows near the small hours, in which clocks change, and any others.
    const length = random() < 0.5 ? 1 + Math.floor(random() * 90) : 1 + Math.floor(random() * 1439);
    const first = random() < 0.5 ? start % 240 : start;
    const end = (first + length) % 1440;
    if (first === end) continue;
    const days = everyDay.filter(() => random() < 0.7);
    const window = {
      start: `${pad(Math.floor(first / 60))}:${pad(first % 60)}`,
      end: end === 0 ? "24:00" : `${pad(Math.floor(end / 60))}:${pad(end % 60)}`,
      days: days.length === 0 ? [7] : days,
    };
    const what = `${zone} ${JSON.stringify(window)} from ${from.toISOString()}`;
    const found = nextOpenAt(window, zone, from);
    assert.ok(found !== undefined, what);
    const untilMs = Math.min(found.getTime(), from.getTime() + 3 * 1440 * MINUTE_MS);
    for (let time = from.getTime(); time < untilMs; time += MINUTE_MS)
      assert.ok(
        !isOpenByIntl(window, zone, new Date(time)),
        `${what}: open at ${new Date(time).toISOString()}`,
      );
    assert.ok(isOpenByIntl(window, zone, found), `${what}: closed at ${found.toISOString()}`);
    assert.equal(isOpen(window, zone, from), isOpenByIntl(window, zone, from), what);
  }
});
