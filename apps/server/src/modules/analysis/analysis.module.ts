import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { analyzeCallJob } from "./analysis.jobs.ts";
import { bindAnalysisRoutes } from "./analysis.routes.ts";
import { AnalysisService } from "./analysis.service.ts";
import { CallAnalyst } from "./call-analyst.ts";

interface Dependencies {
  calls: CallsService;
  conversations: ConversationsService;
  agentResolution: AgentResolution;
  organizationLimits: OrganizationLimitsService;
}

export function createAnalysis(
  { config, database, jobs, clock, inference }: NodeResources,
  { calls, conversations, agentResolution, organizationLimits }: Dependencies,
) {
  // The built-in responder follows a script in its prompt; it cannot analyze a call.
  const hasLanguageModel = config.languageModel.provider !== "builtin-responder";
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
      if (!hasLanguageModel) return;
      // Loaded on demand: not every node needs the vendors' clients.
      const { openAnalysisModel } = await import("./analysis-model.ts");
      const { analysisModel, close: closeModel } = await openAnalysisModel(config, inference.path);
      const analyst = new CallAnalyst({
        database,
        calls,
        conversations,
        agentResolution,
        analysisModel,
        clock,
      });
      close = async () => {
        analyst.close();
        await closeModel();
      };
      await worker.work(analyzeCallJob(analyst));
    },
    close: async () => await close(),
  } satisfies Feature;
}
