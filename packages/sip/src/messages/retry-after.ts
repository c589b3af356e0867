import type { HeaderList } from "./header-list.ts";

/** The delay in Retry-After (RFC 3261 §20.33), if present. */
export function retryAfterMs({ headers }: { headers: HeaderList }): number | undefined {
  const seconds = /^\s*(\d{1,9})/.exec(headers.get("retry-after") ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
