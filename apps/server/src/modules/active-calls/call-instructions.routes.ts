import { instructCallRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallInstructions } from "./call-instructions.service.ts";

export function bindCallInstructionRoutes(app: FastifyInstance, instructions: CallInstructions): void {
  bindRoute(
    app,
    instructCallRoute,
    async ({ principal, params, body }) => {
      const { instruction, speak = false } = body;
      await instructions.instruct(principal.organizationId, params.id, { instruction, speak });
      return { data: { callId: params.id, delivered: true as const, speak } };
    },
    { isRemote: true },
  );
}
