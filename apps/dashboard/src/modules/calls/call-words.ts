import type { Call } from "@parley/client";

type EndReason = NonNullable<Call["endReason"]>;

interface EndWords {
  /** For lists and filters. */
  label: string;
  sentence: string;
  /** What helps, if the end is not how calls should end. */
  advice?: string;
}

export const endReasons: Readonly<Record<EndReason, EndWords>> = {
  user_hangup: { label: "Other side hung up", sentence: "The other side hung up." },
  agent_hangup: { label: "Agent hung up", sentence: "The agent ended the call." },
  transferred: { label: "Transferred", sentence: "The agent transferred the call." },
  voicemail: { label: "Voicemail", sentence: "The agent detected voicemail." },
  silence_timeout: {
    label: "Silence",
    sentence: "Neither side spoke for a while, so the agent ended the call.",
    advice: "If callers need longer, raise the agent’s silence timeout.",
  },
  max_duration: {
    label: "Maximum duration",
    sentence: "The call reached the agent’s maximum duration.",
    advice: "Raise the maximum duration of the agent if its calls need longer.",
  },
  dial_no_answer: {
    label: "No answer",
    sentence: "Nobody answered in time.",
    advice: "Call again later, or let it ring longer.",
  },
  dial_busy: { label: "Busy", sentence: "The line was busy.", advice: "Call again later." },
  dial_failed: {
    label: "Could not connect",
    sentence: "The call could not be established.",
    advice: "See the SIP messages below, and check the trunk’s address, credentials and codecs.",
  },
  dial_rejected: {
    label: "Declined",
    sentence: "The call was declined.",
    advice: "The carrier or the person refuses calls from this number.",
  },
  canceled: { label: "Canceled", sentence: "The call ended before it was answered." },
  rejected_by_webhook: {
    label: "Rejected by webhook",
    sentence: "The agent’s pre-call webhook rejected the call.",
    advice: "Its answer is among the webhooks of this call.",
  },
  api_hangup: { label: "Hung up by API", sentence: "Somebody hung up in the dashboard or by the API." },
  node_lost: {
    label: "Server lost",
    sentence: "The server of this call stopped.",
    advice: "Ask the operator for the log of that time. Campaigns dial again by their own rules.",
  },
  media_timeout: {
    label: "Connection lost",
    sentence: "The other side disappeared without hanging up.",
    advice: "If it happens often, check the network and firewall between trunk and server.",
  },
  error_llm: {
    label: "Language model failed",
    sentence: "The language model failed.",
    advice: "Check the model’s address, key and quota.",
  },
  error_stt: {
    label: "Recognition failed",
    sentence: "Speech recognition failed.",
    advice: "Check the recognizer’s key and quota, or set a second provider.",
  },
  error_tts: {
    label: "Voice failed",
    sentence: "The voice failed.",
    advice: "Check the voice provider’s key and quota, or choose another voice.",
  },
  error_internal: {
    label: "Server fault",
    sentence: "Something went wrong on the server.",
    advice: "Ask the operator for the log of this call.",
  },
};

const ordinaryEnds: readonly EndReason[] = [
  "user_hangup",
  "agent_hangup",
  "transferred",
  "voicemail",
  "api_hangup",
  "canceled",
  "silence_timeout",
];

/** How a call ended. Newer servers may know more reasons. */
export function describeEnd(reason: EndReason): EndWords & { isOrdinary: boolean } {
  const words = (endReasons as Readonly<Record<string, EndWords>>)[reason];
  return {
    ...(words ?? { label: reason, sentence: `The call ended (${reason}).` }),
    isOrdinary: ordinaryEnds.includes(reason),
  };
}

export const statuses: Readonly<Record<Call["status"], { label: string; color: string }>> = {
  queued: { label: "Queued", color: "gray" },
  ringing: { label: "Ringing", color: "blue" },
  in_progress: { label: "In progress", color: "house" },
  completed: { label: "Completed", color: "gray" },
  failed: { label: "Failed", color: "red" },
  no_answer: { label: "No answer", color: "gray" },
  busy: { label: "Busy", color: "gray" },
  canceled: { label: "Canceled", color: "gray" },
};

export const activeStatuses = ["ringing", "in_progress"] as const;

export function isActive({ status }: Pick<Call, "status">): boolean {
  return status === "ringing" || status === "in_progress" || status === "queued";
}

/** The other side of a call: its number, or that it is a browser. */
export function otherSideOf({ channel, direction, fromNumber, toNumber }: Call): string {
  if (channel === "web") return "Browser";
  return (direction === "inbound" ? fromNumber : toNumber) ?? "Unknown number";
}

/** What the other side of a call is to the agent. */
export function otherRoleOf({
  channel,
  direction,
}: Pick<Call, "channel" | "direction">): "Caller" | "Callee" {
  return channel === "phone" && direction === "outbound" ? "Callee" : "Caller";
}

/** Seconds from the answer to the end, or to now; `undefined` if the call was not answered. */
export function talkSecondsOf({ answeredAt, endedAt }: Call, now: number): number | undefined {
  if (answeredAt === null) return undefined;
  return Math.max(0, ((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(answeredAt)) / 1000);
}

/** `3725` → `1:02:05`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
