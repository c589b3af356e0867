/** After a longer Retry-After, the caller decides. */
const MAX_WAIT_MS = 30_000;
const MIN_WAIT_MS = 500;

/** The delay in `Retry-After` (RFC 9110 §10.2.3: seconds or a date); `undefined` if absent or malformed. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/**
 * The delay before the next attempt, or `undefined` if there is none.
 *
 * @param attempt number of the attempt, from 0.
 * @param random from 0 to 1, so that clients do not retry at the same time.
 */
export function nextWaitMs(
  attempt: number,
  maxRetries: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  if (attempt >= maxRetries) return undefined;
  const waitMs = retryAfterMs ?? MIN_WAIT_MS * 2 ** attempt * (0.5 + random / 2);
  return waitMs > MAX_WAIT_MS ? undefined : waitMs;
}
