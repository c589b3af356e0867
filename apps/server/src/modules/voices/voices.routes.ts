import { createVoiceRoute, deleteVoiceRoute, updateVoiceRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CustomVoicesService } from "./custom-voices.service.ts";

const DEFAULT_LANGUAGE = "en";

export function bindVoiceRoutes(app: FastifyInstance, voices: CustomVoicesService): void {
  bindRoute(
    app,
    createVoiceRoute,
    async ({ principal, body: { displayName, language = DEFAULT_LANGUAGE }, file }) => ({
      data: await voices.create(principal.organizationId, { displayName, language, sample: file }),
    }),
    {
      isRemote: true,
      auditDetail: ({ body: { consent } }) => (consent === undefined ? undefined : `Consent: ${consent}`),
    },
  );
  bindRoute(app, updateVoiceRoute, async ({ principal, params, body }) => ({
    data: await voices.rename(principal.organizationId, params.id, body.displayName),
  }));
  bindRoute(app, deleteVoiceRoute, async ({ principal, params }) => {
    await voices.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
