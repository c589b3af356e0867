import { recordingFolderOf } from "../../media/recording/recording-folder.ts";
import { turnLogsFolderOf } from "../../media/turn-logs.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";
import type { WebhooksService } from "../webhooks/webhooks.service.ts";
import { bindCallDeletionRoutes } from "./call-deletion.routes.ts";
import { CallDeletionService, finishCallDeletionJob } from "./call-deletion.service.ts";
import { DeletedCallFiles } from "./deleted-call-files.ts";

interface Dependencies {
  calls: CallsService;
  recordings: RecordingsService;
  webhooks: WebhooksService;
}

export function createCallDeletion(
  { config, database, jobs, bus, clock, logger }: NodeResources,
  { calls, recordings, webhooks }: Dependencies,
) {
  const deletion = new CallDeletionService({
    database,
    jobs,
    bus,
    clock,
    logger,
    calls,
    recordings,
    webhooks,
  });
  const files = new DeletedCallFiles({
    turnLogsFolder: turnLogsFolderOf(config),
    recordingFolder: recordingFolderOf(config),
    calls,
    bus,
    logger,
  });
  return {
    services: { callDeletion: deletion },
    bindRoutes: (app) => bindCallDeletionRoutes(app, deletion),
    startJobs: async (worker) => await worker.work(finishCallDeletionJob(deletion)),
    start: () => files.start(),
    close: async () => await files.close(),
  } satisfies Feature;
}
