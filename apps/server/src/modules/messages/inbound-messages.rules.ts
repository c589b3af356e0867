/** Pure decisions about inbound messages. */
import type { MessageMedia } from "@parley/contract";

/** Words that the provider handles by itself for all numbers; it answers them, so that the agent stays silent. */
const stopWords: ReadonlySet<string> = new Set([
  "STOP",
  "STOPALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "REVOKE",
  "OPTOUT",
]);
const startWords: ReadonlySet<string> = new Set(["START", "UNSTOP", "YES"]);
const helpWords: ReadonlySet<string> = new Set(["HELP", "INFO"]);

export type Keyword = "stop" | "start" | "help";

/**
 * Returns the keyword that the provider handles. `optOutType` is the provider's own judgment, which it sends if the account
 * has keywords of its own. A word such as YES means START only from a number that has sent STOP.
 */
export function readKeyword(
  text: string,
  optOutType: string | undefined,
  isOptedOut: boolean,
): Keyword | undefined {
  const word = (optOutType ?? text).trim().toUpperCase();
  if (stopWords.has(word)) return "stop";
  if (helpWords.has(word)) return "help";
  return startWords.has(word) && (isOptedOut || optOutType !== undefined) ? "start" : undefined;
}

const MAX_MEDIA = 10;

/** Files of a message, from the provider's parameters. */
export function readMedia(parameters: Readonly<Record<string, string>>): MessageMedia[] {
  const count = Math.min(MAX_MEDIA, Number(parameters["NumMedia"] ?? 0) || 0);
  return Array.from({ length: count }, (_, index) => ({
    url: parameters[`MediaUrl${index}`] ?? "",
    contentType: parameters[`MediaContentType${index}`] ?? "application/octet-stream",
  })).filter(({ url }) => url !== "");
}

/** Text of a message for the agent and the transcript: it names the files, which the agent does not see. */
export function describeMessage({ body, media }: { body: string; media: readonly MessageMedia[] }): string {
  if (media.length === 0) return body;
  const files = `[sent ${media.map(({ contentType }) => contentType).join(", ")}]`;
  return body === "" ? files : `${body}\n${files}`;
}

const SECOND_MS = 1_000;
/** Silence after a message before it is answered, so that messages in quick succession get one reply. */
const QUIET_MS = 2 * SECOND_MS;
/** Longest wait for that silence. */
const MAX_WAIT_MS = 10 * SECOND_MS;

/** When the messages since `unansweredSince` are to be answered, the last of which arrives now. */
export function replyTime(unansweredSince: Date, now: Date): Date {
  const earliest = Math.min(now.getTime() + QUIET_MS, unansweredSince.getTime() + MAX_WAIT_MS);
  return new Date(Math.max(earliest, now.getTime()));
}

/** Whether a reply that is ready waits for further messages, which arrived while it was written. */
export function isReplyRestarted(unansweredSince: Date, now: Date): boolean {
  return now.getTime() - unansweredSince.getTime() < 2 * MAX_WAIT_MS;
}

const REPLY_RETRY_DELAYS_MS = [5, 20, 60, 300].map((seconds) => seconds * SECOND_MS);

/** Time of the next attempt to reply; `undefined` if there is none. */
export function nextReplyAttempt(attempts: number, now: Date): Date | undefined {
  const delayMs = REPLY_RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs);
}
