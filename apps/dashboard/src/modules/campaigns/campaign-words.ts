import type { Campaign, CampaignContact } from "@parley/client";

export type CampaignStatus = Campaign["status"];
export type ContactStatus = CampaignContact["status"];
export type Outcome = NonNullable<CampaignContact["outcome"]>;
type PauseReason = NonNullable<Campaign["statusReason"]>;

interface Words {
  label: string;
  color: string;
}

export const campaignStatuses: Readonly<Record<CampaignStatus, Words>> = {
  draft: { label: "Draft", color: "gray" },
  scheduled: { label: "Scheduled", color: "blue" },
  running: { label: "Running", color: "house" },
  paused: { label: "Paused", color: "gray" },
  completed: { label: "Completed", color: "gray" },
  canceled: { label: "Canceled", color: "gray" },
};

export const contactStatuses: Readonly<Record<ContactStatus, Words>> = {
  pending: { label: "Waiting", color: "gray" },
  calling: { label: "Calling", color: "house" },
  completed: { label: "Reached", color: "house" },
  failed: { label: "Not reached", color: "gray" },
  canceled: { label: "Canceled", color: "gray" },
};

export const outcomes: Readonly<Record<Outcome, { label: string }>> = {
  answered: { label: "Answered" },
  voicemail: { label: "Voicemail" },
  no_answer: { label: "No answer" },
  busy: { label: "Busy" },
  failed: { label: "Failed" },
  canceled: { label: "Canceled" },
  do_not_call: { label: "Do not call" },
};

/** What stopped a campaign that stopped itself, and what helps. */
export const pauseReasons: Readonly<
  Record<Exclude<PauseReason, "requested">, { title: string; advice: string }>
> = {
  dials_failing: {
    title: "Most of the last dials failed",
    advice: "Check the trunk: its address, its credentials, and whether the carrier accepts the caller ID.",
  },
  environment_not_found: {
    title: "The agent’s environment is gone",
    advice: "Create the environment again, then resume the campaign.",
  },
  agent_not_found: {
    title: "The agent is gone",
    advice: "Cancel this campaign, and copy it with another agent.",
  },
  agent_not_callable: {
    title: "The agent cannot place calls",
    advice: "Enable the agent, and give it a trunk with an address for outbound calls.",
  },
  from_number_not_on_trunk: {
    title: "The caller ID is no longer on the agent’s trunk",
    advice: "Bind the number to an agent on this trunk again, then resume the campaign.",
  },
  billing_inactive: {
    title: "Billing is inactive",
    advice: "Ask the operator to activate billing, then resume the campaign.",
  },
};

/** Outcomes after which a contact can be dialed again. */
export const retriedOutcomes = ["no_answer", "busy", "failed", "voicemail"] as const;

/** Whether the campaign changes by itself. */
export function isLive({ status, progress }: Pick<Campaign, "status" | "progress">): boolean {
  return status === "scheduled" || status === "running" || (progress.contacts["calling"] ?? 0) > 0;
}

export function isFinal({ status }: Pick<Campaign, "status">): boolean {
  return status === "completed" || status === "canceled";
}

/** "every 10 s" is clearer than "0.1 per second". */
export function describePace(callsPerSecond: number | null): string {
  if (callsPerSecond === null || callsPerSecond <= 0) return "No pace yet";
  if (callsPerSecond < 1) {
    const seconds = Math.round(10 / callsPerSecond) / 10;
    return `One call every ${seconds} seconds at most`;
  }
  return `${callsPerSecond} ${callsPerSecond === 1 ? "call" : "calls"} per second at most`;
}
