import {
  type CampaignActivity,
  type ContactOutcome,
  contactOutcomes,
  MAX_ACTIVITY_INTERVALS,
} from "@parley/contract";

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const intervals = [MINUTE_S, 5 * MINUTE_S, 15 * MINUTE_S, HOUR_S, 4 * HOUR_S, DAY_S] as const;

/** What ended in an interval, by outcome. */
export interface OutcomeCount {
  startsAt: Date;
  outcome: ContactOutcome;
  attempts: number;
  contactsDone: number;
}

/** Returns the shortest interval of which few enough contain both times. */
export function chooseIntervalSeconds(first: Date, last: Date): number {
  const fits = (seconds: number): boolean =>
    indexOf(last, seconds) - indexOf(first, seconds) < MAX_ACTIVITY_INTERVALS;
  return intervals.find(fits) ?? DAY_S;
}

/** Converts counts, ordered by time, to their form in the API: intervals without a gap. */
export function presentActivity(counts: readonly OutcomeCount[], intervalSeconds: number): CampaignActivity {
  const [first, last] = [counts[0], counts.at(-1)];
  if (first === undefined || last === undefined) return { intervalSeconds, intervals: [] };
  const firstIndex = indexOf(first.startsAt, intervalSeconds);
  const length = indexOf(last.startsAt, intervalSeconds) - firstIndex + 1;
  const shown = Array.from({ length }, (_, index) => ({
    startsAt: new Date((firstIndex + index) * intervalSeconds * 1000).toISOString(),
    attempts: Object.fromEntries(contactOutcomes.map((outcome) => [outcome, 0])),
    contactsDone: 0,
  }));
  for (const { startsAt, outcome, attempts, contactsDone } of counts) {
    const interval = shown[indexOf(startsAt, intervalSeconds) - firstIndex];
    if (interval === undefined) continue;
    interval.attempts[outcome] = (interval.attempts[outcome] ?? 0) + attempts;
    interval.contactsDone += contactsDone;
  }
  return { intervalSeconds, intervals: shown };
}

function indexOf(time: Date, intervalSeconds: number): number {
  return Math.floor(time.getTime() / 1000 / intervalSeconds);
}
