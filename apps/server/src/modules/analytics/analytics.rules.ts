import { type AnalyticsQuery, MAX_ANALYTICS_DAYS } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import { isTimezone } from "../../platform/timezone.ts";
import type { CallSelection } from "../calls/call-statistics.service.ts";

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 30;

/** Calls that a query selects. Throws `invalid_query` if the range is empty or too long. */
export function selectCalls({ from, to, ...rest }: AnalyticsQuery, now: Date): CallSelection {
  const end = to === undefined ? now : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (start >= end) throw invalidQuery("from", "must be earlier than `to`");
  if (end.getTime() - start.getTime() > MAX_ANALYTICS_DAYS * DAY_MS) {
    throw invalidQuery("from", `must be at most ${MAX_ANALYTICS_DAYS} days before \`to\``);
  }
  return { ...rest, from: start, to: end };
}

export function assertTimezone(name: string): void {
  if (!isTimezone(name)) throw invalidQuery("timezone", "must be an IANA timezone name");
}

function invalidQuery(path: string, message: string): AppError {
  return new AppError("invalid_query", { issues: [{ path, message }] });
}
