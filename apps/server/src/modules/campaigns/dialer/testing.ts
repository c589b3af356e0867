/** For tests: an oracle of calling windows that shares no code with them. */
import type { CallingWindow } from "@parley/contract";

const change = (...times: string[]): Date[] => times.map((time) => new Date(time));

/** Time zones, and changes of their clocks: by an hour, by half an hour, at other hours, southern, and none. */
export const zones: readonly { zone: string; changes: Date[] }[] = [
  { zone: "Europe/Berlin", changes: change("2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z") },
  { zone: "Europe/London", changes: change("2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z") },
  { zone: "America/New_York", changes: change("2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z") },
  { zone: "America/Los_Angeles", changes: change("2026-03-08T10:00:00Z", "2026-11-01T09:00:00Z") },
  { zone: "America/St_Johns", changes: change("2026-03-08T05:30:00Z", "2026-11-01T04:30:00Z") },
  { zone: "America/Santiago", changes: change("2026-04-05T03:00:00Z", "2026-09-06T04:00:00Z") },
  { zone: "Africa/Cairo", changes: change("2026-04-23T22:00:00Z", "2026-10-29T21:00:00Z") },
  { zone: "Asia/Beirut", changes: change("2026-03-28T22:00:00Z", "2026-10-24T21:00:00Z") },
  { zone: "Asia/Kolkata", changes: change("2026-06-01T00:00:00Z") },
  { zone: "Australia/Lord_Howe", changes: change("2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z") },
  { zone: "Pacific/Chatham", changes: change("2026-04-04T14:00:00Z", "2026-09-26T14:00:00Z") },
  { zone: "Atlantic/Azores", changes: change("2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z") },
];

const formats = new Map<string, Intl.DateTimeFormat>();
const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Whether the wall clock that Intl shows is inside the window. */
export function isOpenByIntl(
  { start, end, days }: Pick<CallingWindow, "start" | "end" | "days">,
  timeZone: string,
  instant: Date,
): boolean {
  const options = {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-US", options);
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const now = `${parts.get("hour") ?? ""}:${parts.get("minute") ?? ""}`;
  const today = names.indexOf(parts.get("weekday") ?? "");
  const isOn = (day: number): boolean => days.some((each) => each % 7 === (day + 7) % 7);
  // Texts of equal length compare as the times do.
  if (start < end) return now >= start && now < end && isOn(today);
  return (now >= start && isOn(today)) || (now < end && isOn(today - 1));
}
