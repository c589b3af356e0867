import { checkProviderRoute, listProvidersRoute } from "@parley/contract";
import { providerIds } from "@parley/providers/registry";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import { ProviderHealthService } from "./provider-health.service.ts";

interface Dependencies {
  calls: CallsService;
  conversations: ConversationsService;
  providerKeys: ProviderKeysService;
}

/** The providers with their health, and the check of their keys. */
export function createProviderHealth(
  { config, clock }: NodeResources,
  { calls, conversations, providerKeys }: Dependencies,
) {
  const health = new ProviderHealthService({ config, calls, conversations, providerKeys, clock });
  return {
    services: {},
    bindRoutes: (app) => bindProviderHealthRoutes(app, health),
  } satisfies Feature;
}

function bindProviderHealthRoutes(app: FastifyInstance, health: ProviderHealthService): void {
  bindRoute(app, listProvidersRoute, async ({ principal }) => ({
    data: await health.list(principal.organizationId),
  }));
  bindRoute(
    app,
    checkProviderRoute,
    async ({ principal, params }) => {
      const id = providerIds.find((each) => each === params.provider);
      if (id === undefined) throw new AppError("not_found");
      return { data: await health.check(principal.organizationId, id) };
    },
    // The check waits for the provider, and must not occupy a transaction.
    { isRemote: true },
  );
}
