import {
  deleteEnvironmentRoute,
  getEnvironmentRoute,
  listEnvironmentsRoute,
  putEnvironmentRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../../platform/http/bind-route.ts";
import type { EnvironmentsService } from "./environments.service.ts";

export function bindEnvironmentRoutes(app: FastifyInstance, environments: EnvironmentsService): void {
  bindRoute(app, putEnvironmentRoute, async ({ principal, params, body }) => ({
    data: await environments.put(principal.organizationId, params.id, params.name, body),
  }));
  bindRoute(app, listEnvironmentsRoute, async ({ principal, params }) => ({
    data: await environments.list(principal.organizationId, params.id),
  }));
  bindRoute(app, getEnvironmentRoute, async ({ principal, params }) => ({
    data: await environments.get(principal.organizationId, params.id, params.name),
  }));
  bindRoute(app, deleteEnvironmentRoute, async ({ principal, params }) => {
    await environments.delete(principal.organizationId, params.id, params.name);
    return { data: { id: params.name, deleted: true as const } };
  });
}
