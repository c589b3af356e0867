/** Figures and charts of a campaign's progress. */
import type { CampaignActivity } from "@parley/client";

const SECOND_MS = 1_000;
const steps = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
  { unit: "second", ms: SECOND_MS },
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "in 3 minutes", or "now". */
export function describeWait(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  if (ms < SECOND_MS) return "now";
  const { unit, ms: unitMs } = steps.find((step) => ms >= step.ms) ?? { unit: "second", ms: SECOND_MS };
  return relative.format(Math.round(ms / unitMs), unit);
}

export interface ActivityPoint {
  /** Time of the interval's beginning, as the reader writes it. */
  time: string;
  /** Contacts done until the interval's end. */
  done: number;
  [outcome: string]: number | string;
}

/** Points of the charts, of all intervals. Days are written as dates, shorter intervals as times. */
export function toPoints({ intervals, intervalSeconds }: CampaignActivity): ActivityPoint[] {
  const isWithinDay = spanMs(intervals) < 86_400_000;
  const format = new Intl.DateTimeFormat(undefined, {
    ...(!isWithinDay && { day: "numeric", month: "short" }),
    ...(intervalSeconds < 86_400 && { hour: "2-digit", minute: "2-digit" }),
  });
  let done = 0;
  return intervals.map(({ startsAt, attempts, contactsDone }) => {
    done += contactsDone;
    return { ...attempts, time: format.format(new Date(startsAt)), done };
  });
}

function spanMs(intervals: CampaignActivity["intervals"]): number {
  const [first, last] = [intervals[0], intervals.at(-1)];
  return first === undefined || last === undefined
    ? 0
    : Date.parse(last.startsAt) - Date.parse(first.startsAt);
}

/** "15 minutes". */
export function describeInterval(seconds: number): string {
  const { unit, ms } = steps.find((step) => seconds * SECOND_MS >= step.ms) ?? steps[3];
  const count = Math.round((seconds * SECOND_MS) / ms);
  return count === 1 ? unit : `${count} ${unit}s`;
}
