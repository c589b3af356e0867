import { getCallRoute, listCallsRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallsService } from "./calls.service.ts";

export function bindCallRoutes(app: FastifyInstance, calls: CallsService): void {
  bindRoute(
    app,
    listCallsRoute,
    async ({ principal, query }) => await calls.list(principal.organizationId, query),
  );
  bindRoute(app, getCallRoute, async ({ principal, params }) => ({
    data: await calls.get(principal.organizationId, params.id),
  }));
}
