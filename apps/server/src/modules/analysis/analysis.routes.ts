import { reanalyzeCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallsService } from "../calls/calls.service.ts";

export function bindAnalysisRoutes(app: FastifyInstance, calls: CallsService): void {
  bindRoute(app, reanalyzeCallRoute, async ({ principal, params }) => ({
    data: await calls.reanalyze(principal.organizationId, params.id),
  }));
}
