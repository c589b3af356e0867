import {
  getVoiceRoute,
  listLanguagesRoute,
  listModelsRoute,
  listVoicesRoute,
  previewVoiceRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { bindRoute } from "../../platform/http/bind-route.ts";
import { listLanguages } from "./languages.rules.ts";
import type { Offers } from "./offers.ts";

export function bindProviderRoutes(app: FastifyInstance, offers: Offers): void {
  // Answers about agents without a language model would otherwise look like those about agents with one.
  app.addHook("onSend", async ({ principal, log }, reply) => {
    if (principal === undefined || offers.standard.models.hint === undefined) return;
    try {
      const hint = await offers.read(principal.organizationId, ({ models }) => models.hint);
      if (hint !== undefined) reply.header("x-parley-warning", hint);
    } catch (error) {
      // The answer itself is not affected.
      log.debug({ err: error }, "the organization's language model is unknown");
    }
  });
  bindRoute(app, listVoicesRoute, async ({ principal: { organizationId }, query }) => ({
    data: await offers.read(organizationId, async ({ voices }) => await voices.list(organizationId, query)),
  }));
  bindRoute(app, getVoiceRoute, async ({ principal: { organizationId }, params }) => {
    const voice = await offers.read(
      organizationId,
      async ({ voices }) => await voices.find(organizationId, params.id),
    );
    if (voice === undefined) throw new AppError("not_found");
    return { data: voice };
  });
  bindRoute(
    app,
    previewVoiceRoute,
    async ({ principal: { organizationId }, params, query }) =>
      await offers.read(
        organizationId,
        async ({ previews }) => await previews.preview(organizationId, params.id, query.language),
      ),
    { isRemote: true },
  );
  bindRoute(app, listModelsRoute, async ({ principal }) => ({
    data: await offers.read(principal.organizationId, async ({ models }) => await models.list()),
  }));
  bindRoute(app, listLanguagesRoute, async ({ principal }) => ({
    data: await offers.read(principal.organizationId, ({ config }) => listLanguages(config)),
  }));
}
