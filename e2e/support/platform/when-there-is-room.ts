import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@parley/client/api";

const DEADLINE_MS = 120_000;
const PAUSE_MS = 1_000;

/**
 * Places a call. Retries while the response is 503: on a busy machine, a node that is late with a call's
 * audio takes no other call until that call has ended.
 */
export async function whenThereIsRoom<T>(place: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await place();
    } catch (error) {
      if (!isFull(error) || performance.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** By HTTP or by SIP. */
function isFull(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  return error instanceof Error && error.message.includes("503");
}
