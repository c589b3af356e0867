import { recordingFolderOf } from "../../media/recording/recording-folder.ts";
import type { ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";
import { RecordingFinisher } from "./recording-finisher.ts";
import { giveUpRecordingsJob } from "./recording-finishing.jobs.ts";

interface Dependencies {
  calls: CallsService;
  recordings: RecordingsService;
  activeCalls: Pick<ActiveCallRegistry, "get">;
}

export function createRecordingFinishing(
  { config, nodeId, database, clock, logger }: NodeResources,
  { calls, recordings, activeCalls }: Dependencies,
) {
  const finisher = new RecordingFinisher({
    nodeId,
    folder: recordingFolderOf(config),
    database,
    calls,
    recordings,
    isActive: (callId) => activeCalls.get(callId) !== undefined,
    concurrency: config.mediaProcesses,
    clock,
    logger,
  });
  return {
    services: {},
    startJobs: async (jobs) => await jobs.work(giveUpRecordingsJob(calls, clock)),
    start: () => finisher.start(),
    close: async () => await finisher.close(),
  } satisfies Feature;
}
