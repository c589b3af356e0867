import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { CustomVoicesService } from "./custom-voices.service.ts";
import { SampleExaminer } from "./sample/sample-examiner.ts";
import { VoiceCloning } from "./voice-cloning.ts";
import { cloneVoiceJob, discardVoiceJob } from "./voices.jobs.ts";
import { bindVoiceRoutes } from "./voices.routes.ts";

interface Dependencies {
  organizationLimits: OrganizationLimitsService;
}

export function createVoices(
  { config, database, storage, jobs, clock, logger, speechPlaces }: NodeResources,
  { organizationLimits }: Dependencies,
) {
  const examiner = new SampleExaminer(config.modelsDirectory);
  const fit = () => speechPlaces.fit;
  const customVoices = new CustomVoicesService({
    database,
    storage,
    jobs,
    clock,
    config,
    fit,
    examiner,
    organizationLimits,
  });
  const voiceCloning = new VoiceCloning({ database, storage, clock, config, logger });
  return {
    services: { customVoices, voiceCloning },
    bindRoutes: (app) => bindVoiceRoutes(app, customVoices),
    startJobs: async (started) => {
      await started.work(cloneVoiceJob(voiceCloning));
      await started.work(discardVoiceJob(voiceCloning));
    },
    close: () => examiner.close(),
  } satisfies Feature;
}
