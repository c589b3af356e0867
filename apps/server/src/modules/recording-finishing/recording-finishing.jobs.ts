import type { Clock } from "../../platform/clock.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { CallsService } from "../calls/calls.service.ts";

/**
 * A recording is given up if its node is gone for longer. If the node returns, its recordings are stored all
 * the same.
 */
const GIVEN_UP_AFTER_MS = 24 * 3600_000;

/** Every hour: gives up recordings that are on lost nodes. */
export function giveUpRecordingsJob(
  calls: Pick<CallsService, "listAwaitingRecording" | "noteRecordingLost">,
  clock: Clock,
): JobKind<Record<string, never>> {
  return {
    name: "give-up-recordings",
    cron: "17 * * * *",
    run: async () => {
      const at = clock.now();
      const endedBefore = new Date(at.getTime() - GIVEN_UP_AFTER_MS);
      for (const id of await calls.listAwaitingRecording({ endedBefore }))
        await calls.noteRecordingLost(id, at);
    },
  };
}
