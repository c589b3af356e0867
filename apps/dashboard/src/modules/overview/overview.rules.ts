import type { CallsOfDay } from "@parley/client";

const days = { "7d": 7, "30d": 30, "90d": 90, "1y": 365 } as const;

export type PeriodName = keyof typeof days;
export const periodNames = Object.keys(days) as PeriodName[];
export const periodLabels: Readonly<Record<PeriodName, string>> = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "1y": "1 year",
};

/** From the beginning of the first day, where the reader lives, to the next full minute, so that answers are reused. */
export function rangeOf(period: PeriodName, now: Date): { from: string; to: string } {
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days[period] + 1);
  const to = new Date(Math.ceil(now.getTime() / 60_000) * 60_000);
  return { from: from.toISOString(), to: to.toISOString() };
}

export interface Totals {
  calls: number;
  answered: number;
  billableMinutes: number;
  /** Share of answered calls from 0 to 1; `undefined` without calls. */
  answerRate: number | undefined;
}

export function totalsOf(tallies: readonly CallsOfDay[]): Totals {
  const sum = (name: "calls" | "answered" | "billableSeconds"): number =>
    tallies.reduce((total, day) => total + day[name], 0);
  const [calls, answered] = [sum("calls"), sum("answered")];
  return {
    calls,
    answered,
    billableMinutes: sum("billableSeconds") / 60,
    answerRate: calls === 0 ? undefined : answered / calls,
  };
}

export interface CallsOfSpan {
  /** First day. */
  date: string;
  answered: number;
  unanswered: number;
}

/** Bars of a chart that is still readable. */
const MAX_BARS = 31;

/** Joins days to spans of equal length, so that a chart has few enough bars. The last span may be shorter. */
export function joinDays(tallies: readonly CallsOfDay[]): CallsOfSpan[] {
  const daysPerBar = Math.ceil(tallies.length / MAX_BARS);
  const spans: CallsOfSpan[] = [];
  for (let first = 0; first < tallies.length; first += daysPerBar) {
    const { calls, answered } = totalsOf(tallies.slice(first, first + daysPerBar));
    spans.push({ date: tallies[first]?.date ?? "", answered, unanswered: calls - answered });
  }
  return spans;
}

/** About this many lines above zero are read at a glance. */
const TICKS = 4;

/** Whole numbers from 0 in equal steps of 1, 2 or 5 times a power of ten, the last of which is at least the largest value. */
export function ticksOf(largest: number): number[] {
  const roughStep = Math.max(1, largest / TICKS);
  const power = 10 ** Math.floor(Math.log10(roughStep));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= roughStep) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(largest / step)) + 1 }, (_, index) => index * step);
}
