import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { deleteExpiredTracesJob } from "./sip-trace.jobs.ts";
import { SipTraceRecorder } from "./sip-trace.recorder.ts";
import { bindSipTraceRoutes } from "./sip-trace.routes.ts";
import { SipTracesService } from "./sip-trace.service.ts";

export function createSipTraces(
  { config, database, clock, logger }: NodeResources,
  { calls }: { calls: CallsService },
) {
  const sipTraces = new SipTracesService(database, calls);
  const sipTraceRecorder =
    config.traceDays === 0 ? undefined : new SipTraceRecorder({ database, clock, logger });
  return {
    services: { sipTraces, sipTraceRecorder },
    bindRoutes: (app) => bindSipTraceRoutes(app, sipTraces),
    startJobs: async (jobs) => await jobs.work(deleteExpiredTracesJob(sipTraces, config.traceDays, clock)),
    close: async () => await sipTraceRecorder?.close(),
  } satisfies Feature;
}
