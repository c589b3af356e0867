import type { Parley } from "@parley/client";
import { readChoice, readPage, readText, type RawSearch } from "../../ui/search-params.ts";
import { endReasons, statuses } from "./call-words.ts";

type CallFilter = NonNullable<Parameters<Parley["listCalls"]>[0]>;

const directions = ["inbound", "outbound"] as const;
const channels = ["phone", "web"] as const;
const testChoices = ["only", "none"] as const;

type StatusName = keyof typeof statuses;
type EndReasonName = keyof typeof endReasons;
const statusNames = Object.keys(statuses) as StatusName[];
const endReasonNames = Object.keys(endReasons) as EndReasonName[];

/** What the address of the list of calls contains. */
export interface CallsSearch {
  page?: number | undefined;
  agentId?: string | undefined;
  status?: StatusName | undefined;
  endReason?: EndReasonName | undefined;
  direction?: (typeof directions)[number] | undefined;
  channel?: (typeof channels)[number] | undefined;
  environment?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  tests?: (typeof testChoices)[number] | undefined;
  /** Words that are said in the call. */
  text?: string | undefined;
  minSeconds?: number | undefined;
  maxSeconds?: number | undefined;
  /** First and last day, such as `2026-11-22`, where the reader lives. */
  since?: string | undefined;
  until?: string | undefined;
}

export function readCallsSearch(raw: RawSearch): CallsSearch {
  return {
    page: readPage(raw),
    agentId: readText(raw, "agentId"),
    status: readChoice(raw, "status", statusNames),
    endReason: readChoice(raw, "endReason", endReasonNames),
    direction: readChoice(raw, "direction", directions),
    channel: readChoice(raw, "channel", channels),
    environment: readText(raw, "environment"),
    from: readText(raw, "from"),
    to: readText(raw, "to"),
    tests: readChoice(raw, "tests", testChoices),
    text: readText(raw, "text"),
    minSeconds: readSeconds(raw, "minSeconds"),
    maxSeconds: readSeconds(raw, "maxSeconds"),
    since: readDay(raw, "since"),
    until: readDay(raw, "until"),
  };
}

function readSeconds(raw: RawSearch, name: string): number | undefined {
  const seconds = Number(raw[name] ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

function readDay(raw: RawSearch, name: string): string | undefined {
  const text = readText(raw, name);
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
}

/** The query of the API that finds these calls. */
export function toCallFilter(search: CallsSearch): CallFilter {
  const { page, status, endReason, from, to, tests, since, until, minSeconds, maxSeconds, ...same } = search;
  const filter = {
    ...same,
    page,
    status: status && [status],
    endReason: endReason && [endReason],
    minDurationSeconds: minSeconds,
    maxDurationSeconds: maxSeconds,
    fromNumber: from,
    toNumber: to,
    isTest: tests && tests === "only",
    createdAfter: since && startOfDay(since, 0).toISOString(),
    createdBefore: until && startOfDay(until, 1).toISOString(),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Midnight where the reader lives, some days after a day's beginning. */
export function startOfDay(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}
