import {
  createCustomToolRoute,
  deleteCustomToolRoute,
  getCustomToolRoute,
  listCustomToolsRoute,
  updateCustomToolRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../../platform/http/bind-route.ts";
import type { CustomToolsService } from "./custom-tools.service.ts";

export function bindCustomToolRoutes(app: FastifyInstance, tools: CustomToolsService): void {
  bindRoute(app, createCustomToolRoute, async ({ principal, params, body }) => ({
    data: await tools.create(principal, params.id, body),
  }));
  bindRoute(app, listCustomToolsRoute, async ({ principal, params }) => ({
    data: await tools.list(principal.organizationId, params.id),
  }));
  bindRoute(app, getCustomToolRoute, async ({ principal, params }) => ({
    data: await tools.get(principal.organizationId, params.id, params.toolId),
  }));
  bindRoute(app, updateCustomToolRoute, async ({ principal, params, body }) => ({
    data: await tools.update(principal, params.id, params.toolId, body),
  }));
  bindRoute(app, deleteCustomToolRoute, async ({ principal, params }) => {
    await tools.delete(principal, params.id, params.toolId);
    return { data: { id: params.toolId, deleted: true as const } };
  });
}
