import { createCallRoute, getCallRoute, hangUpCallRoute, listCallsRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallHangUpsService } from "../active-calls/call-hang-ups.service.ts";
import type { CallsService } from "./calls.service.ts";
import type { OutboundCallsService } from "../phone-calls/outbound-calls.service.ts";

export function bindCallRoutes(
  app: FastifyInstance,
  {
    calls,
    outboundCalls,
    callHangUps,
  }: { calls: CallsService; outboundCalls: OutboundCallsService; callHangUps: CallHangUpsService },
): void {
  bindRoute(app, createCallRoute, async ({ principal, body }) => ({
    data: await outboundCalls.place(principal.organizationId, body),
  }));
  bindRoute(
    app,
    listCallsRoute,
    async ({ principal, query }) => await calls.list(principal.organizationId, query),
  );
  bindRoute(app, getCallRoute, async ({ principal, params }) => ({
    data: await calls.get(principal.organizationId, params.id),
  }));
  bindRoute(
    app,
    hangUpCallRoute,
    async ({ principal, params }) => ({
      data: await callHangUps.hangUp(principal.organizationId, params.id),
    }),
    { isRemote: true },
  );
}
