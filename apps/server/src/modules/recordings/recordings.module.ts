import type { Feature, NodeResources } from "../feature.ts";
import { bindRecordingRoutes } from "./recordings.routes.ts";
import { RecordingsService } from "./recordings.service.ts";

export function createRecordings({ database, storage, clock }: NodeResources) {
  const recordings = new RecordingsService(database, storage, clock);
  return {
    services: { recordings },
    bindRoutes: (app) => bindRecordingRoutes(app, recordings),
  } satisfies Feature;
}
