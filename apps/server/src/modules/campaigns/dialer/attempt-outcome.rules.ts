import type {
  CallEndReason,
  CallStatus,
  ContactOutcome,
  ContactStatus,
  RetryPolicy,
  VoicemailStrategy,
} from "@parley/contract";
import type { AgentDocument } from "../../agents/agent-document.rules.ts";

/** The end of a contact's call. */
export interface AttemptEnd {
  status: CallStatus;
  endReason: CallEndReason | null;
  endDetail: string | null;
  answeredAt: Date | null;
}

/** SIP statuses by which the callee's side says that further attempts are useless. */
const finalStatuses: readonly number[] = [404, 410, 484, 603, 604, 607, 608];

const MINUTE_MS = 60_000;

/** Dials that decide whether most of them fail. */
export const WATCHED_DIALS = 20;
/** So many failed dials among the watched ones pause the campaign. */
const MAX_FAILED_DIALS = 10;

export function outcomeOf({ status, endReason, answeredAt }: AttemptEnd): ContactOutcome {
  if (endReason === "node_lost") return "failed";
  if (endReason === "voicemail") return "voicemail";
  // A person who answered is not called again, however the call ended.
  if (answeredAt !== null) return "answered";
  if (status === "no_answer" || status === "busy") return status;
  // A call that the pre-call webhook rejected is a decision of the customer, not of the callee.
  return status === "canceled" && endReason !== "rejected_by_webhook" ? "canceled" : "failed";
}

/** A campaign's rules for further attempts. */
export interface AttemptRules {
  retryPolicy: RetryPolicy;
  voicemailStrategy: VoicemailStrategy;
}

/** Returns the agent's document with what a voicemail gets at an attempt, counted from 1. */
export function withVoicemailStrategy(
  document: AgentDocument,
  { retryPolicy, voicemailStrategy }: AttemptRules,
  attempt: number,
): AgentDocument {
  if (voicemailStrategy === "agent") return document;
  const isLast = attempt >= retryPolicy.maxAttempts;
  return { ...document, voicemailEnabled: true, ...(!isLast && { voicemailAction: "hangup" as const }) };
}

/** Returns the time of the next attempt; `undefined` if there is none. */
export function retryAt(
  { retryPolicy: policy, voicemailStrategy }: AttemptRules,
  end: AttemptEnd,
  { attempts, endedAt }: { attempts: number; endedAt: Date },
): Date | undefined {
  const outcome = outcomeOf(end);
  const isRetriedVoicemail = outcome === "voicemail" && voicemailStrategy === "last_attempt";
  const isChosen = isRetriedVoicemail || policy.retryOn.some((each) => each === outcome);
  const isRetried = isChosen && !isFinal(end);
  if (!isRetried || attempts >= policy.maxAttempts) return undefined;
  return new Date(endedAt.getTime() + policy.retryDelayMinutes * MINUTE_MS);
}

/** Returns the status of a contact without a further attempt. */
export function finalStatusOf(outcome: ContactOutcome): ContactStatus {
  return outcome === "answered" || outcome === "voicemail" ? "completed" : "failed";
}

/** Returns whether the dial failed for a reason that concerns the trunk or this platform, not the callee. */
export function isDialFailure(end: AttemptEnd): boolean {
  return end.answeredAt === null && end.status === "failed" && !isFinal(end) && end.endReason !== "node_lost";
}

/** Appends a dial to those that are watched. */
export function watchDial(recent: readonly boolean[], isFailure: boolean): boolean[] {
  return [...recent, isFailure].slice(-WATCHED_DIALS);
}

export function areMostDialsFailing(recent: readonly boolean[]): boolean {
  return recent.filter(Boolean).length >= MAX_FAILED_DIALS;
}

function isFinal({ endReason, endDetail }: AttemptEnd): boolean {
  if (endReason === "rejected_by_webhook" || endReason === "dial_rejected") return true;
  // The detail of a failed dial begins with its SIP status.
  const [, status] = /^(\d{3})\b/.exec(endDetail ?? "") ?? [];
  return endReason === "dial_failed" && finalStatuses.includes(Number(status));
}
