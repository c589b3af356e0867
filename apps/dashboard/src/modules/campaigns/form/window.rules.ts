/** A calling window as it is drawn on a week. */
import type { CallingWindow } from "@parley/client";

const MINUTES_PER_DAY = 1_440;
const DAYS_PER_WEEK = 7;

export type Hours = Pick<CallingWindow, "start" | "end" | "days">;

/** Monday to Sunday, as the API counts them. */
export const weekdays = [
  { day: 1, short: "Mon", long: "Monday" },
  { day: 2, short: "Tue", long: "Tuesday" },
  { day: 3, short: "Wed", long: "Wednesday" },
  { day: 4, short: "Thu", long: "Thursday" },
  { day: 5, short: "Fri", long: "Friday" },
  { day: 6, short: "Sat", long: "Saturday" },
  { day: 7, short: "Sun", long: "Sunday" },
] as const;

export interface Block {
  day: number;
  /** Minutes since midnight; the end is not part of it. */
  from: number;
  to: number;
}

/** The hours of each day in which people are called. A window across midnight continues on the next day. */
export function blocksOf({ start, end, days }: Hours): Block[] {
  const [from, to] = [minutesOf(start), minutesOf(end)];
  return isoDays(days).flatMap((day) => {
    if (from < to) return [{ day, from, to }];
    const rest = to === 0 ? [] : [{ day: (day % DAYS_PER_WEEK) + 1, from: 0, to }];
    return [{ day, from, to: MINUTES_PER_DAY }, ...rest];
  });
}

/** The window that a drag over the week draws, from one place to another. */
export function drawWindow(
  one: { day: number; minute: number },
  other: typeof one,
  stepMinutes: number,
): Hours {
  const [from, to] = [Math.min(one.minute, other.minute), Math.max(one.minute, other.minute)];
  const start = Math.min(Math.floor(from / stepMinutes) * stepMinutes, MINUTES_PER_DAY - stepMinutes);
  const end = Math.max(Math.ceil(to / stepMinutes) * stepMinutes, start + stepMinutes);
  const [first, last] = [Math.min(one.day, other.day), Math.max(one.day, other.day)];
  const days = weekdays.map(({ day }) => day).filter((day) => day >= first && day <= last);
  return { start: timeOf(start), end: timeOf(end), days };
}

/** "Monday to Friday, 09:00 to 18:00". */
export function describeHours({ start, end, days }: Hours): string {
  const next = minutesOf(end) <= minutesOf(start) && end !== "00:00" ? " on the next day" : "";
  return `${describeDays(days)}, ${start} to ${end}${next}`;
}

function describeDays(days: readonly number[]): string {
  const chosen = isoDays(days);
  const name = (day: number): string => weekdays[day - 1]?.long ?? "";
  if (chosen.length === DAYS_PER_WEEK) return "Every day";
  const [first = 1] = chosen;
  const last = chosen.at(-1) ?? first;
  if (chosen.length > 2 && last - first === chosen.length - 1) return `${name(first)} to ${name(last)}`;
  return chosen.map(name).join(", ");
}

/** The API accepts 0 for Sunday too. */
export function isoDays(days: readonly number[]): number[] {
  return [...new Set(days.map((day) => (day === 0 ? DAYS_PER_WEEK : day)))].sort((one, other) => one - other);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function timeOf(minutes: number): string {
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
