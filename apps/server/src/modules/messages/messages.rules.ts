/** Pure decisions about messages: parts of long texts, statuses of the provider, and what follows a failure. */
import { MAX_MESSAGE_CHARACTERS, type MessageStatus } from "@parley/contract";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Delays of the attempts after one that had no effect. */
const RETRY_DELAYS_MS = [5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;
/** Time for a message to appear in the provider's list. Later one that is not there was not accepted. */
export const LOOKUP_PERIOD_MS = 30 * SECOND_MS;
/** Interval of lookups of one message. */
export const LOOKUP_INTERVAL_MS = 10 * SECOND_MS;

/** Twilio's errors that its documentation calls temporary: too many messages at once, and congestion at the carrier. */
const temporaryCodes: ReadonlySet<number> = new Set([20429, 21611, 30001, 30017, 30022]);
/** Twilio's error for a receiver that has sent STOP. */
export const OPTED_OUT_CODE = 21610;

export function isTemporary(code: number | null | undefined): boolean {
  return code !== undefined && code !== null && temporaryCodes.has(code);
}

/** Time of the next attempt; `undefined` if there is none. */
export function nextAttempt(attempts: number, now: Date): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs);
}

/** Our status for one of Twilio's; `undefined` for one that says nothing new. */
export function toStatus(twilioStatus: string): MessageStatus | undefined {
  switch (twilioStatus) {
    case "accepted":
    case "scheduled":
    case "queued":
    case "sending":
      return "queued";
    case "sent":
      return "sent";
    case "delivered":
    case "read":
      return "delivered";
    case "undelivered":
    case "failed":
    case "canceled":
      return "failed";
    default:
      return undefined;
  }
}

const ranks: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sent: 1,
  delivered: 2,
  failed: 2,
  received: 2,
};

/** Whether a report changes the status: reports arrive repeatedly and out of order, and the first final one counts. */
export function isProgress(before: MessageStatus, reported: MessageStatus): boolean {
  return ranks[reported] > ranks[before];
}

/** Divides a text into parts that the provider accepts, at the end of a paragraph, sentence or word if there is one. */
export function splitText(text: string, maxCharacters = MAX_MESSAGE_CHARACTERS): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > maxCharacters) {
    const cut = findCut(rest, maxCharacters);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}

/** Ends of parts, the better ones first. */
const boundaries = [/\n\s*\n/g, /[.!?…]["')\]]?\s/g, /\s/g];

/** A part that is shorter than this share of the limit is avoided. */
const MIN_SHARE = 0.4;

function findCut(text: string, maxCharacters: number): number {
  const head = text.slice(0, maxCharacters + 1);
  for (const boundary of boundaries) {
    const last = [...head.matchAll(boundary)]
      .map(({ index, 0: found }) => index + found.trimEnd().length)
      .at(-1);
    if (last !== undefined && last > maxCharacters * MIN_SHARE) return last;
  }
  // Does not separate the halves of a character.
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1));
  return isHalf ? maxCharacters - 1 : maxCharacters;
}
