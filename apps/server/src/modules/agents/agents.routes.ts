import {
  createAgentRoute,
  deleteAgentRoute,
  getAgentRoute,
  listAgentsRoute,
  updateAgentRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { AgentsService } from "./agents.service.ts";

export function bindAgentRoutes(app: FastifyInstance, agents: AgentsService): void {
  bindRoute(app, createAgentRoute, async ({ principal, body }) => ({
    data: await agents.create(principal, body),
  }));
  bindRoute(
    app,
    listAgentsRoute,
    async ({ principal, query }) => await agents.list(principal.organizationId, query),
  );
  bindRoute(app, getAgentRoute, async ({ principal, params }) => ({
    data: await agents.get(principal.organizationId, params.id),
  }));
  bindRoute(app, updateAgentRoute, async ({ principal, params, body }) => ({
    data: await agents.update(principal, params.id, body),
  }));
  bindRoute(app, deleteAgentRoute, async ({ principal, params }) => {
    await agents.delete(principal, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
