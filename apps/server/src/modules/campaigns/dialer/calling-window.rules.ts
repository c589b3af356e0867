import type { CallingWindow } from "@parley/contract";
import { Temporal } from "temporal-polyfill";

/** Longer than any gap between two windows: a week, a skipped day, and a window that daylight saving time skips. */
const SEARCHED_DAYS = 23;
const SEARCHED_MS = SEARCHED_DAYS * 86_400_000;
const MINUTES_PER_HOUR = 60;

type Hours = Pick<CallingWindow, "start" | "end" | "days">;

/** Returns whether the wall clock in the time zone is inside the window. */
export function isOpen(window: Hours | null, timezone: string, instant: Date): boolean {
  return window === null || isInside(window, toLocal(instant.getTime(), timezone));
}

/** Returns the first time from `instant` on at which the window is open; `undefined` if it never is. */
export function nextOpenAt(window: Hours | null, timezone: string, instant: Date): Date | undefined {
  if (window === null) return instant;
  const from = toLocal(instant.getTime(), timezone);
  if (isInside(window, from)) return instant;
  const startMs = findStart(window, from) ?? from.epochMilliseconds + SEARCHED_MS;
  const changeMs = findChange(window, from, startMs);
  const openMs = changeMs ?? startMs;
  return openMs < from.epochMilliseconds + SEARCHED_MS ? new Date(openMs) : undefined;
}

/** The first time at which the wall clock shows the start of the window; it shows it twice when it is set back. */
function findStart(window: Hours, from: Temporal.ZonedDateTime): number | undefined {
  const time = Temporal.PlainTime.from(window.start);
  for (let day = 0; day < SEARCHED_DAYS; day++) {
    const local = from.toPlainDate().add({ days: day }).toPlainDateTime(time);
    for (const disambiguation of ["earlier", "later"] as const) {
      const start = local.toZonedDateTime(from.timeZoneId, { disambiguation });
      if (start.epochMilliseconds >= from.epochMilliseconds && isInside(window, start))
        return start.epochMilliseconds;
    }
  }
  return undefined;
}

/** The first change of the offset from UTC, before a time, that moves the wall clock into the window. */
function findChange(window: Hours, from: Temporal.ZonedDateTime, beforeMs: number): number | undefined {
  const { timeZoneId } = from;
  for (let ms = nextChange(from); ms < beforeMs; ms = nextChange(toLocal(ms, timeZoneId)))
    if (isInside(window, toLocal(ms, timeZoneId))) return ms;
  return undefined;
}

/** The next change of each time zone's offset, and the time for which it was looked up. */
const changes = new Map<string, { afterMs: number; atMs: number }>();

/** Remembered, because the look-up takes about as long as all the rest. */
function nextChange(local: Temporal.ZonedDateTime): number {
  const { timeZoneId, epochMilliseconds: ms } = local;
  const known = changes.get(timeZoneId);
  if (known !== undefined && known.afterMs <= ms && ms < known.atMs) return known.atMs;
  const atMs = local.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
  changes.set(timeZoneId, { afterMs: ms, atMs });
  return atMs;
}

function isInside({ start, end, days }: Hours, local: Temporal.ZonedDateTime): boolean {
  const [first, last] = [minutesOf(start), minutesOf(end)];
  const minute = local.hour * MINUTES_PER_HOUR + local.minute;
  // Temporal counts the days as ISO does: Sunday is 7.
  const isOn = (day: number): boolean => days.some((each) => (each === 0 ? 7 : each) === day);
  if (first < last) return minute >= first && minute < last && isOn(local.dayOfWeek);
  if (minute >= first) return isOn(local.dayOfWeek);
  return minute < last && isOn(local.toPlainDate().subtract({ days: 1 }).dayOfWeek);
}

function toLocal(epochMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * MINUTES_PER_HOUR + minutes;
}

/** Returns the beginning of the local day, and that of the next one. */
export function localDay(timezone: string, instant: Date): { startsAt: Date; endsAt: Date } {
  const start = toLocal(instant.getTime(), timezone).startOfDay();
  const end = start.add({ days: 1 }).startOfDay();
  return { startsAt: new Date(start.epochMilliseconds), endsAt: new Date(end.epochMilliseconds) };
}
