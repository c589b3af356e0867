import { getCallTracePcapRoute, getCallTraceRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { SipTracesService } from "./sip-trace.service.ts";

export function bindSipTraceRoutes(app: FastifyInstance, traces: SipTracesService): void {
  bindRoute(app, getCallTraceRoute, async ({ principal, params }) => ({
    data: await traces.get(principal.organizationId, params.id),
  }));
  bindRoute(
    app,
    getCallTracePcapRoute,
    async ({ principal, params }) => await traces.getPcap(principal.organizationId, params.id),
  );
}
