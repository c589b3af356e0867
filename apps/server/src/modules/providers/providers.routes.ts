import {
  getVoiceRoute,
  listLanguagesRoute,
  listModelsRoute,
  listVoicesRoute,
  previewVoiceRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import type { Config } from "../../platform/config/config.ts";
import { bindRoute } from "../../platform/http/bind-route.ts";
import { listLanguages } from "./languages.rules.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import type { OfferedVoices } from "./offered-voices.ts";
import type { VoicePreviews } from "./voice-previews.ts";

interface Offers {
  config: Readonly<Config>;
  voices: OfferedVoices;
  models: ModelCatalog;
  previews: VoicePreviews;
}

export function bindProviderRoutes(app: FastifyInstance, { config, voices, models, previews }: Offers): void {
  // Answers about agents without a language model would otherwise look like those about agents with one.
  app.addHook("onSend", async ({ principal }, reply) => {
    const { hint } = models;
    if (principal !== undefined && hint !== undefined) reply.header("x-parley-warning", hint);
  });
  bindRoute(app, listVoicesRoute, async ({ principal, query }) => ({
    data: await voices.list(principal.organizationId, query),
  }));
  bindRoute(app, getVoiceRoute, async ({ principal, params }) => {
    const voice = await voices.find(principal.organizationId, params.id);
    if (voice === undefined) throw new AppError("not_found");
    return { data: voice };
  });
  bindRoute(
    app,
    previewVoiceRoute,
    async ({ principal, params, query }) =>
      await previews.preview(principal.organizationId, params.id, query.language),
    {
      isRemote: true,
    },
  );
  bindRoute(app, listModelsRoute, async () => ({ data: await models.list() }));
  bindRoute(app, listLanguagesRoute, async () => ({ data: listLanguages(config) }));
}
