/** The fields of a campaign as its form has them. */
import type { Campaign, CampaignCreate } from "@parley/client";
import { findFault } from "../../../ui/schema-field.rules.ts";
import { campaignFields, retryFields } from "../campaign-fields.at-build.ts";

const PRODUCTION = "production";
const MAX_NAME_CHARACTERS = 128;
const COPY_SUFFIX = " (copy)";

type WindowValues = NonNullable<Campaign["callingWindow"]>;

export interface CampaignValues {
  name: string;
  agentId: string;
  fromNumber: string;
  environment: string;
  /** As a field of the type `datetime-local` has it, where the reader lives. Empty: none. */
  startAt: string;
  isWindowed: boolean;
  /** Without effect unless `isWindowed`. */
  callingWindow: WindowValues;
  retryPolicy: {
    maxAttempts: number;
    retryDelayMinutes: number;
    retryOn: Campaign["retryPolicy"]["retryOn"];
  };
  voicemailStrategy: Campaign["voicemailStrategy"];
  /** Null while the field is empty. */
  maxConcurrency: number | null;
  callsPerSecond: number | null;
  defaultVariables: Campaign["defaultVariables"];
}

export function emptyCampaign(timezone: string): CampaignValues {
  return {
    name: "",
    agentId: "",
    fromNumber: "",
    environment: PRODUCTION,
    startAt: "",
    isWindowed: true,
    callingWindow: { start: "09:00", end: "18:00", timezone, days: [1, 2, 3, 4, 5] },
    retryPolicy: { maxAttempts: 3, retryDelayMinutes: 60, retryOn: ["no_answer", "busy", "failed"] },
    voicemailStrategy: "agent",
    maxConcurrency: 5,
    callsPerSecond: 1,
    defaultVariables: {},
  };
}

/** The values of an existing campaign. */
export function valuesOf(campaign: Campaign, timezone: string): CampaignValues {
  const { name, agentId, fromNumber, environment, startAt, callingWindow, defaultVariables } = campaign;
  const { maxAttempts, retryDelayMinutes, retryOn } = campaign.retryPolicy;
  return {
    name,
    agentId,
    fromNumber,
    environment: environment ?? PRODUCTION,
    startAt: startAt === null ? "" : toLocalField(new Date(startAt)),
    isWindowed: callingWindow !== null,
    callingWindow: callingWindow ?? emptyCampaign(timezone).callingWindow,
    retryPolicy: { maxAttempts, retryDelayMinutes, retryOn },
    voicemailStrategy: campaign.voicemailStrategy,
    maxConcurrency: campaign.maxConcurrency,
    callsPerSecond: campaign.callsPerSecond,
    defaultVariables,
  };
}

/** The values of a copy, which starts when it is told to. */
export function copyOf(campaign: Campaign, timezone: string): CampaignValues {
  const name = `${campaign.name.slice(0, MAX_NAME_CHARACTERS - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
  return { ...valuesOf(campaign, timezone), name, startAt: "" };
}

/** The settings as the API expects them. */
export function toBody({ isWindowed, startAt, callingWindow, ...values }: CampaignValues): CampaignCreate {
  return {
    ...values,
    startAt: startAt === "" ? null : new Date(startAt).toISOString(),
    callingWindow: isWindowed ? callingWindow : null,
  };
}

/** Faults by path. The API checks again, and more. */
export function findFaults(values: CampaignValues): Record<string, string> {
  const { name, agentId, fromNumber, callingWindow, isWindowed, retryPolicy } = values;
  const faults = {
    name: findFault(campaignFields["name"] ?? {}, name),
    agentId: agentId === "" ? "is required" : undefined,
    fromNumber: fromNumber === "" ? "is required" : undefined,
    ...(isWindowed && {
      "callingWindow.start": callingWindow.start === "" ? "is required" : undefined,
      "callingWindow.end": findEndFault(callingWindow),
      "callingWindow.days": callingWindow.days.length === 0 ? "Choose at least one day" : undefined,
    }),
    "retryPolicy.maxAttempts": findFault(retryFields["maxAttempts"] ?? {}, retryPolicy.maxAttempts),
    "retryPolicy.retryDelayMinutes": findFault(
      retryFields["retryDelayMinutes"] ?? {},
      retryPolicy.retryDelayMinutes,
    ),
    maxConcurrency: findNumberFault("maxConcurrency", values.maxConcurrency),
    callsPerSecond: findNumberFault("callsPerSecond", values.callsPerSecond),
  };
  return Object.fromEntries(
    Object.entries(faults).flatMap(([path, fault]) => (fault === undefined ? [] : [[path, fault]])),
  );
}

/** An empty field is null. The API accepts that as the default, which the form does not show. */
function findNumberFault(name: string, value: number | null): string | undefined {
  return value === null ? "is required" : findFault(campaignFields[name] ?? {}, value);
}

function findEndFault({ start, end }: WindowValues): string | undefined {
  if (end === "") return "is required";
  return start === end ? "must differ from the beginning" : undefined;
}

/** `2026-11-23T09:00`. */
function toLocalField(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The browser's time zone. */
export function ownTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
