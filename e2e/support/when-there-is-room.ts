import { setTimeout as sleep } from "node:timers/promises";

const DEADLINE_MS = 120_000;
const PAUSE_MS = 1_000;

/**
 * Places a call; again while the answer is 503: a node on a busy machine that is late with the audio of a call takes no
 * further one before that has ended.
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
