import { reanalyzeCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { AnalysisService } from "./analysis.service.ts";

export function bindAnalysisRoutes(app: FastifyInstance, analysis: AnalysisService): void {
  bindRoute(app, reanalyzeCallRoute, async ({ principal, params }) => ({
    data: await analysis.reanalyze(principal.organizationId, params.id),
  }));
}
