import { setTimeout as sleep } from "node:timers/promises";

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
      const isFull = error instanceof Error && error.message.includes("503");
      if (!isFull || performance.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
