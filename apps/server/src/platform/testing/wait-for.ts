import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;

/** Asks until there is an answer; throws, naming `what` was awaited, when there is none within `deadlineMs`. */
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
