import {
  createOrganizationRoute,
  getOperatedOrganizationRoute,
  listOrganizationsRoute,
  updateOperatedOrganizationRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindOperatorRoute } from "../../platform/http/bind-operator-route.ts";
import type { OperatorService } from "./operator.service.ts";

export function bindOperatorRoutes(app: FastifyInstance, key: string, operator: OperatorService): void {
  bindOperatorRoute(app, createOrganizationRoute, key, async ({ body }) => ({
    data: await operator.create(body),
  }));
  bindOperatorRoute(app, listOrganizationsRoute, key, async ({ query }) => await operator.list(query));
  bindOperatorRoute(app, getOperatedOrganizationRoute, key, async ({ params }) => ({
    data: await operator.get(params.id),
  }));
  bindOperatorRoute(app, updateOperatedOrganizationRoute, key, async ({ params, body }) => ({
    data: await operator.update(params.id, body),
  }));
}
