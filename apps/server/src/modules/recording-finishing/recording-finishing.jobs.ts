import type { Clock } from "../../platform/clock.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { CallsService } from "../calls/calls.service.ts";

/** A node that was gone for longer is not waited for; should it come back, its recordings are taken all the same. */
const GIVEN_UP_AFTER_MS = 24 * 3600_000;

/** Every hour: calls whose recording lies on a node that does not come back. */
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
