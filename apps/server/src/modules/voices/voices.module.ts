import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import { CustomVoicesService } from "./custom-voices.service.ts";
import { SampleExaminer } from "./sample/sample-examiner.ts";
import { VoiceCloning } from "./voice-cloning.ts";
import { cloneVoiceJob, discardVoiceJob, verifyVoicesJob } from "./voices.jobs.ts";
import { bindVoiceRoutes } from "./voices.routes.ts";

interface Dependencies {
  organizationLimits: OrganizationLimitsService;
  providerKeys: ProviderKeysService;
}

export function createVoices(
  { config, database, storage, jobs, clock, logger, speechPlaces }: NodeResources,
  { organizationLimits, providerKeys }: Dependencies,
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
    providerKeys,
  });
  const voiceCloning = new VoiceCloning({ database, storage, clock, config, providerKeys, logger });
  return {
    services: { customVoices, voiceCloning },
    bindRoutes: (app) => bindVoiceRoutes(app, customVoices),
    startJobs: async (started) => {
      await started.work(cloneVoiceJob(voiceCloning));
      await started.work(discardVoiceJob(voiceCloning));
      await started.work(verifyVoicesJob(voiceCloning));
    },
    close: () => examiner.close(),
  } satisfies Feature;
}
