import {
  createProviderKeyRoute,
  deleteProviderKeyRoute,
  getProviderKeyRoute,
  listProviderKeysRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { encryptedProviderKeys, ProviderKeysService } from "./provider-keys.service.ts";

/** Keys of organizations at providers, in place of the operator's. */
export function createProviderKeys({ config, database, encryption, clock }: NodeResources) {
  const providerKeys = new ProviderKeysService(database, { config, encryption, clock });
  return {
    services: { providerKeys },
    encryptedColumns: [encryptedProviderKeys],
    bindRoutes: (app) => bindProviderKeyRoutes(app, providerKeys),
  } satisfies Feature;
}

function bindProviderKeyRoutes(app: FastifyInstance, keys: ProviderKeysService): void {
  bindRoute(
    app,
    createProviderKeyRoute,
    async ({ principal, body }) => ({ data: await keys.put(principal.organizationId, body) }),
    // The check waits for the provider, and must not occupy a transaction.
    { isRemote: true },
  );
  bindRoute(app, listProviderKeysRoute, async ({ principal }) => ({
    data: await keys.list(principal.organizationId),
  }));
  bindRoute(app, getProviderKeyRoute, async ({ principal, params }) => ({
    data: await keys.get(principal.organizationId, params.id),
  }));
  bindRoute(app, deleteProviderKeyRoute, async ({ principal, params }) => {
    await keys.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
