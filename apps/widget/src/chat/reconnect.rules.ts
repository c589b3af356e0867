const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Delay before the next attempt: doubled after each failure, with up to half of it random, so that pages do not return all at
 * once after a restart of the server. `random`: from 0 to 1.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** Math.max(0, failures - 1));
  return delayMs * (0.5 + random / 2);
}
