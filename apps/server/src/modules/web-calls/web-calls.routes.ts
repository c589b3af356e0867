import { startTestCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { WebCallsService } from "./web-calls.service.ts";

export function bindWebCallRoutes(app: FastifyInstance, webCalls: WebCallsService): void {
  bindRoute(app, startTestCallRoute, async ({ principal, params, body, origin }) => ({
    data: await webCalls.startTest(principal.organizationId, params.id, body, origin),
  }));
}
