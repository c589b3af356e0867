import {
  getAgentVersionRoute,
  listAgentVersionsRoute,
  publishAgentRoute,
  restoreAgentVersionRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../../platform/http/bind-route.ts";
import { requireRole } from "../../../platform/http/require-role.ts";
import type { AgentVersionsService } from "./agent-versions.service.ts";

export function bindAgentVersionRoutes(app: FastifyInstance, versions: AgentVersionsService): void {
  bindRoute(app, listAgentVersionsRoute, async ({ principal, params, query }) => {
    return await versions.list(principal.organizationId, params.id, query);
  });
  bindRoute(app, getAgentVersionRoute, async ({ principal, params }) => ({
    data: await versions.get(principal.organizationId, params.id, Number(params.revision)),
  }));
  bindRoute(app, restoreAgentVersionRoute, async ({ principal, params }) => ({
    data: await versions.restore(principal, params.id, Number(params.revision)),
  }));
  bindRoute(app, publishAgentRoute, async ({ principal, params, body }) => {
    const { revision, overrideReleaseGate: isForced = false } = body;
    if (isForced) requireRole(principal, "admin", "overrideReleaseGate");
    return { data: await versions.publish(principal, params.id, { revision, isForced }) };
  });
}
