import { getCallRecordingRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { RecordingsService } from "./recordings.service.ts";

export function bindRecordingRoutes(app: FastifyInstance, recordings: RecordingsService): void {
  bindRoute(app, getCallRecordingRoute, async ({ principal, params }) => ({
    data: await recordings.get(principal.organizationId, params.id),
  }));
}
