import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import { analyzeCallJob } from "./analysis.jobs.ts";
import { bindAnalysisRoutes } from "./analysis.routes.ts";
import { AnalysisService } from "./analysis.service.ts";
import { CallAnalyst } from "./call-analyst.ts";

interface Dependencies {
  calls: CallsService;
  conversations: ConversationsService;
  agentResolution: AgentResolution;
  organizationLimits: OrganizationLimitsService;
  providerKeys: ProviderKeysService;
}

export function createAnalysis(
  { config, database, jobs, clock, inference }: NodeResources,
  { calls, conversations, agentResolution, organizationLimits, providerKeys }: Dependencies,
) {
  // The built-in responder follows a script in its prompt; it cannot analyze a call.
  const hasLanguageModel = async (organizationId: string, queries: Queries): Promise<boolean> => {
    const { languageModel } = (await providerKeys.findOwn(organizationId, queries)) ?? config;
    return languageModel.provider !== "builtin-responder";
  };
  const analysis = new AnalysisService({
    database,
    calls,
    conversations,
    jobs,
    agentResolution,
    organizationLimits,
    clock,
    hasLanguageModel,
  });
  analysis.subscribe();
  let close = async (): Promise<void> => {};
  return {
    services: { analysis },
    bindRoutes: (app) => bindAnalysisRoutes(app, analysis),
    startJobs: async (worker) => {
      const { AnalysisModels } = await import("./analysis-models.ts");
      const models = new AnalysisModels(config, providerKeys, inference.path);
      const useModel = async (organizationId: string) => await models.use(organizationId);
      const analyst = new CallAnalyst({ database, calls, conversations, agentResolution, useModel, clock });
      close = async () => {
        analyst.close();
        await models.close();
      };
      await worker.work(analyzeCallJob(analyst));
    },
    close: async () => await close(),
  } satisfies Feature;
}
