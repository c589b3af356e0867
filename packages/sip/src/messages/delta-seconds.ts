import type { HeaderList } from "./header-list.ts";

/** The `delta-seconds` at the start of a value (RFC 3261 §25.1), if present. */
export function readDeltaSeconds(value: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,10})/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The delay in Retry-After (RFC 3261 §20.33), if present. */
export function retryAfterMs({ headers }: { headers: HeaderList }): number | undefined {
  const seconds = readDeltaSeconds(headers.get("retry-after"));
  return seconds === undefined ? undefined : seconds * 1000;
}
