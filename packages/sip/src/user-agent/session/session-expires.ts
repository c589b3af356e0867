import { readDeltaSeconds } from "../../messages/delta-seconds.ts";
import type { HeaderList } from "../../messages/header-list.ts";

/** The side of one transaction that refreshes the session (RFC 4028 §4). */
type Refresher = "uac" | "uas";

export interface SessionExpires {
  seconds: number;
  refresher: Refresher | undefined;
}

/** RFC 4028 §5: the shortest allowed session interval. */
export const MIN_SESSION_INTERVAL_SECONDS = 90;

/** Longer intervals have no use, and timers have a limit. */
const MAX_SESSION_INTERVAL_SECONDS = 24 * 60 * 60;

export function readSessionExpires(headers: HeaderList): SessionExpires | undefined {
  const match = /^\s*(\d{1,10})\s*(;.*)?$/.exec(headers.get("session-expires") ?? "");
  if (match === null) return undefined;
  const refresher = /;\s*refresher\s*=\s*"?(uac|uas)\b/i.exec(match[2] ?? "")?.[1]?.toLowerCase();
  return {
    seconds: Math.min(Number(match[1]), MAX_SESSION_INTERVAL_SECONDS),
    refresher: refresher === "uac" || refresher === "uas" ? refresher : undefined,
  };
}

/** The shortest interval that every hop accepts (RFC 4028 §5). */
export function readMinSe(headers: HeaderList): number {
  const seconds = readDeltaSeconds(headers.get("min-se")) ?? 0;
  return Math.min(Math.max(seconds, MIN_SESSION_INTERVAL_SECONDS), MAX_SESSION_INTERVAL_SECONDS);
}

/** True if a message announces support for an extension. */
export function supports(headers: HeaderList, optionTag: string): boolean {
  const tags = [...headers.getList("supported"), ...headers.getList("require")];
  return tags.some((tag) => tag.toLowerCase() === optionTag);
}
