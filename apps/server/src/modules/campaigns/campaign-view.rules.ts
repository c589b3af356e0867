import { type Campaign, type CampaignContact, contactOutcomes, contactStatuses } from "@parley/contract";
import { countOf, isDialing, isFinal } from "./campaigns.rules.ts";
import type { CampaignRow, DueTimes } from "./campaigns.store.ts";
import type { ContactRow } from "./contacts/contacts.store.ts";
import { nextOpenAt } from "./dialer/calling-window.rules.ts";

const zeros = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));

/** Converts a campaign to its form in the API. */
export function presentCampaign(
  row: CampaignRow,
  { agentName = row.agentName, due, now }: { agentName?: string; due: DueTimes; now: Date },
): Campaign {
  const contacts: Record<string, number> = { ...zeros(contactStatuses), ...row.contactCounts };
  const total = Object.values(contacts).reduce((sum, each) => sum + each, 0);
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    statusReason: row.statusReason,
    statusDetail: row.statusDetail,
    agentId: row.agentId,
    agentName,
    fromNumber: row.fromNumber,
    environment: row.environment,
    startAt: row.startAt?.toISOString() ?? null,
    callingWindow: row.callingWindow,
    retryPolicy: row.retryPolicy,
    maxConcurrency: row.maxConcurrency,
    callsPerSecond: row.callsPerSecond,
    voicemailStrategy: row.voicemailStrategy,
    defaultVariables: row.defaultVariables,
    progress: {
      total,
      done: total - countOf(row, "pending") - countOf(row, "calling"),
      contacts,
      outcomes: { ...zeros(contactOutcomes), ...row.outcomeCounts },
    },
    nextDialAt: isDialing(row.status) ? (findNextDial(row, due, now)?.toISOString() ?? null) : null,
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

type Calendar = Pick<CampaignRow, "startAt" | "nextDialAt" | "callingWindow">;

/** Returns the earliest time of the next dial by start, pace, window and retry delays; `undefined` if no contact is pending. */
export function findNextDial(campaign: Calendar, due: DueTimes, now: Date): Date | undefined {
  const times = [...due].flatMap(([timezone, dueAt]) => nextAttemptOf(campaign, timezone, dueAt, now) ?? []);
  return times.length === 0 ? undefined : new Date(Math.min(...times.map((each) => each.getTime())));
}

/** Returns the earliest time at which a contact of this time zone (empty: the window's) can be dialed. */
function nextAttemptOf(campaign: Calendar, timezone: string, dueAt: Date, now: Date): Date | undefined {
  const { startAt, nextDialAt, callingWindow } = campaign;
  const bounds = [now, startAt ?? now, nextDialAt ?? now, dueAt].map((each) => each.getTime());
  return nextOpenAt(callingWindow, timezoneOf(campaign, timezone), new Date(Math.max(...bounds)));
}

/** Returns the time zone of a contact: its own, else the window's. */
export function timezoneOf({ callingWindow }: Pick<CampaignRow, "callingWindow">, own: string): string {
  return own === "" ? (callingWindow?.timezone ?? "UTC") : own;
}

/** Converts a contact to its form in the API. */
export function presentContact(row: ContactRow, campaign: CampaignRow, now: Date): CampaignContact {
  const isWaiting = row.status === "pending" && !isFinal(campaign.status);
  const next = isWaiting
    ? nextAttemptOf({ ...campaign, nextDialAt: null }, row.timezone, row.dueAt, now)
    : undefined;
  return {
    id: row.id,
    toNumber: row.toNumber,
    variables: row.variables,
    timezone: row.timezone === "" ? null : row.timezone,
    status: row.status,
    outcome: row.outcome,
    attempts: row.attempts,
    nextAttemptAt: next?.toISOString() ?? null,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
