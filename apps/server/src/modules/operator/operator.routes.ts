import {
  createOrganizationRoute,
  getOperatedOrganizationRoute,
  listOperatedPhoneNumbersRoute,
  listOrganizationsRoute,
  releasePhoneNumberRoute,
  updateOperatedOrganizationRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindOperatorRoute } from "../../platform/http/bind-operator-route.ts";
import type { OperatedNumbersService } from "./operated-numbers.service.ts";
import type { OperatorService } from "./operator.service.ts";

interface OperatorServices {
  operator: OperatorService;
  numbers: OperatedNumbersService;
}

export function bindOperatorRoutes(
  app: FastifyInstance,
  key: string | undefined,
  { operator, numbers }: OperatorServices,
): void {
  bindOperatorRoute(app, listOperatedPhoneNumbersRoute, key, async ({ query }) => await numbers.list(query));
  bindOperatorRoute(app, releasePhoneNumberRoute, key, async ({ params: { id } }) => {
    await numbers.release(id);
    return { data: { id, deleted: true as const } };
  });
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
