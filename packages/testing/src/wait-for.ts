import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;

/**
 * Polls `ask` every 50 ms until it returns something other than `undefined` and `false`, and returns that. Throws an
 * error that names `what` if the deadline passes: it is there to end a test that fails, not to measure time.
 */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await sleep(POLL_INTERVAL_MS);
  }
}
