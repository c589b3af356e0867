import {
  type CallingWindow,
  type CampaignChange,
  type CampaignStatus,
  type ContactOutcome,
  type ContactStatus,
  type RetryPolicy,
  defaultRetryPolicy,
} from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import { isTimezone } from "../../platform/timezone.ts";
import type { CampaignRow } from "./campaigns.store.ts";

const everyDay = [1, 2, 3, 4, 5, 6, 7];

/** Settings of a campaign that have defaults. */
export type Settings = Pick<
  CampaignRow,
  | "startAt"
  | "callingWindow"
  | "retryPolicy"
  | "maxConcurrency"
  | "callsPerSecond"
  | "voicemailStrategy"
  | "defaultVariables"
>;

export const defaultSettings: Settings = {
  startAt: null,
  callingWindow: null,
  retryPolicy: defaultRetryPolicy,
  maxConcurrency: 5,
  callsPerSecond: 1,
  voicemailStrategy: "agent",
  defaultVariables: {},
};

/** Returns the settings after a change. Throws `invalid_body`. */
export function changeSettings(before: Settings, change: CampaignChange, agentTimezone: string): Settings {
  const { startAt, callingWindow, retryPolicy, maxConcurrency, callsPerSecond, defaultVariables } = change;
  const { voicemailStrategy } = change;
  const replace = <T>(current: T, next: T | null | undefined, initial: T): T =>
    next === undefined ? current : (next ?? initial);
  return {
    startAt: startAt === undefined ? before.startAt : startAt === null ? null : new Date(startAt),
    callingWindow: changeWindow(before.callingWindow, callingWindow, agentTimezone),
    retryPolicy: changePolicy(before.retryPolicy, retryPolicy),
    maxConcurrency: replace(before.maxConcurrency, maxConcurrency, defaultSettings.maxConcurrency),
    callsPerSecond: replace(before.callsPerSecond, callsPerSecond, defaultSettings.callsPerSecond),
    voicemailStrategy: replace(
      before.voicemailStrategy,
      voicemailStrategy,
      defaultSettings.voicemailStrategy,
    ),
    defaultVariables: replace(before.defaultVariables, defaultVariables, defaultSettings.defaultVariables),
  };
}

function changeWindow(
  before: CallingWindow | null,
  change: CampaignChange["callingWindow"],
  agentTimezone: string,
): CallingWindow | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const { start, end, timezone = agentTimezone, days = everyDay } = { ...before, ...change };
  if (start === undefined) throw invalidBody("callingWindow.start", "is required");
  if (end === undefined) throw invalidBody("callingWindow.end", "is required");
  if (start === end) throw invalidBody("callingWindow.end", "must differ from start");
  if (!isTimezone(timezone))
    throw invalidBody("callingWindow.timezone", "must be the name of a time zone in the IANA database");
  return { start, end, timezone, days: [...days] };
}

function changePolicy(before: RetryPolicy, change: CampaignChange["retryPolicy"]): RetryPolicy {
  if (change === undefined) return before;
  return { ...(change === null ? defaultRetryPolicy : before), ...change };
}

export function isFinal(status: CampaignStatus): boolean {
  return status === "completed" || status === "canceled";
}

export function isDialing(status: CampaignStatus): boolean {
  return status === "scheduled" || status === "running";
}

/** State of a campaign that begins to dial, now or at its `startAt`. */
export function startedState(
  { startAt, startedAt }: Pick<CampaignRow, "startAt" | "startedAt">,
  now: Date,
): Pick<CampaignRow, "status" | "statusReason" | "statusDetail" | "recentFailures" | "startedAt"> {
  const isAhead = startAt !== null && startAt > now;
  return {
    status: isAhead ? "scheduled" : "running",
    statusReason: null,
    statusDetail: null,
    recentFailures: [],
    startedAt: isAhead ? startedAt : (startedAt ?? now),
  };
}

/** Contacts of a campaign by status, and those that are done by outcome. */
export type Tally = Pick<CampaignRow, "contactCounts" | "outcomeCounts">;

export const emptyTally: Tally = { contactCounts: {}, outcomeCounts: {} };

export function countOf({ contactCounts }: Tally, status: ContactStatus): number {
  return contactCounts[status] ?? 0;
}

/** Counts contacts that are added (`from` undefined) or change their status; `outcome` only of those that are done. */
export function count(
  { contactCounts, outcomeCounts }: Tally,
  move: { from?: ContactStatus; to: ContactStatus; outcome?: ContactOutcome | null; count?: number },
): Tally {
  const { from, to, outcome, count: moved = 1 } = move;
  const contacts = { ...contactCounts };
  if (from !== undefined) contacts[from] = (contacts[from] ?? 0) - moved;
  contacts[to] = (contacts[to] ?? 0) + moved;
  if (outcome === undefined || outcome === null) return { contactCounts: contacts, outcomeCounts };
  const outcomes = { ...outcomeCounts, [outcome]: (outcomeCounts[outcome] ?? 0) + moved };
  return { contactCounts: contacts, outcomeCounts: outcomes };
}

/** Returns whether no contact waits for an attempt or is being called. */
export function isDone(tally: Tally): boolean {
  return countOf(tally, "pending") === 0 && countOf(tally, "calling") === 0;
}

/** State of a started campaign in which no contact is left to dial; empty otherwise. */
export function finishIfDone(
  { status }: Pick<CampaignRow, "status">,
  tally: Tally,
  now: Date,
): Partial<Pick<CampaignRow, "status" | "statusReason" | "statusDetail" | "completedAt" | "updatedAt">> {
  if (status === "draft" || isFinal(status) || !isDone(tally)) return {};
  return { status: "completed", statusReason: null, statusDetail: null, completedAt: now, updatedAt: now };
}

/** Throws `campaign_not_startable` unless the campaign has this status and contacts. */
export function requireStartable(campaign: CampaignRow, from: "draft" | "paused"): void {
  if (campaign.status !== from)
    throw new AppError("campaign_not_startable", {
      message:
        from === "draft"
          ? `Only a draft can be started; this campaign is ${campaign.status}.`
          : `Only a paused campaign can be resumed; this one is ${campaign.status}.`,
    });
  if (isDone(campaign))
    throw new AppError("campaign_not_startable", {
      message: "The campaign has no contact to dial. Add contacts first.",
    });
}
