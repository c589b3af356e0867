/** Longer waits are left to the caller. */
const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 500;

/** How long `Retry-After` asks to wait (RFC 9110, 10.2.3: seconds or a date); undefined where it says nothing. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/**
 * The wait before the next attempt, or undefined where there is to be none.
 *
 * @param attempt counts from 0.
 * @param random from 0 to 1, so that many clients do not return at once.
 */
export function nextWaitMs(
  attempt: number,
  maxRetries: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  if (attempt >= maxRetries) return undefined;
  const waitMs = retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt * (0.5 + random / 2);
  return waitMs > LONGEST_WAIT_MS ? undefined : waitMs;
}
