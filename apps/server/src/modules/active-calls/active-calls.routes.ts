import { hangUpCallRoute, instructCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallHangUpsService } from "./call-hang-ups.service.ts";
import type { CallInstructions } from "./call-instructions.service.ts";

export function bindActiveCallRoutes(
  app: FastifyInstance,
  { callHangUps, callInstructions }: { callHangUps: CallHangUpsService; callInstructions: CallInstructions },
): void {
  bindRoute(
    app,
    instructCallRoute,
    async ({ principal, params, body }) => {
      const { instruction, speak = false } = body;
      await callInstructions.instruct(principal.organizationId, params.id, { instruction, speak });
      return { data: { callId: params.id, delivered: true as const, speak } };
    },
    { isRemote: true },
  );
  bindRoute(
    app,
    hangUpCallRoute,
    async ({ principal, params }) => ({
      data: await callHangUps.hangUp(principal.organizationId, params.id),
    }),
    { isRemote: true },
  );
}
