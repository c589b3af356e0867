import { createCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { OutboundCallsService } from "./outbound/outbound-calls.service.ts";

export function bindPhoneCallRoutes(app: FastifyInstance, outboundCalls: OutboundCallsService): void {
  bindRoute(app, createCallRoute, async ({ principal, body }) => ({
    data: await outboundCalls.place(principal.organizationId, body),
  }));
}
