import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute, updateApiKeyRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { ApiKeysService } from "./api-keys.service.ts";

export function bindApiKeyRoutes(app: FastifyInstance, apiKeys: ApiKeysService): void {
  bindRoute(app, createApiKeyRoute, async ({ principal, body }) => ({
    data: await apiKeys.create(principal.organizationId, body.name, body.expiresAt ?? null, {
      role: body.role,
      createdBy: principal.actor.name,
    }),
  }));
  bindRoute(
    app,
    listApiKeysRoute,
    async ({ principal, query }) => await apiKeys.list(principal.organizationId, query),
  );
  bindRoute(app, updateApiKeyRoute, async ({ principal, params, body }) => ({
    data: await apiKeys.update(principal.organizationId, params.id, body),
  }));
  bindRoute(app, revokeApiKeyRoute, async ({ principal, params }) => {
    await apiKeys.revoke(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
