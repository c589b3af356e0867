import { deleteCallRecordingRoute, deleteCallRoute, deleteCallTranscriptRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallDeletionService } from "./call-deletion.service.ts";

export function bindCallDeletionRoutes(app: FastifyInstance, deletion: CallDeletionService): void {
  const routes = {
    call: deleteCallRoute,
    recording: deleteCallRecordingRoute,
    transcript: deleteCallTranscriptRoute,
  } as const;
  for (const part of ["call", "recording", "transcript"] as const) {
    bindRoute(app, routes[part], async ({ principal, params }) => {
      await deletion.delete(principal.organizationId, params.id, part);
      return { data: { id: params.id, deleted: true as const } };
    });
  }
}
