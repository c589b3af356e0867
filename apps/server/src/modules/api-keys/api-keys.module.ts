import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import { bindApiKeyRoutes } from "./api-keys.routes.ts";
import { ApiKeysService } from "./api-keys.service.ts";

export function createApiKeys(
  { config, database, clock, logger }: NodeResources,
  { organizations }: { organizations: OrganizationsService },
) {
  const apiKeys = new ApiKeysService(database, organizations, clock);
  return {
    services: { apiKeys },
    bindRoutes: (app) => bindApiKeyRoutes(app, apiKeys),
    prepare: async () => {
      const { bootstrapApiKey } = config;
      if (bootstrapApiKey === undefined) return;
      await apiKeys.ensureBootstrapOrganization(bootstrapApiKey);
      if ((await apiKeys.authenticate(bootstrapApiKey)) === undefined)
        logger.warn("the key in PARLEY_BOOTSTRAP_API_KEY was revoked: set a new one, or remove the variable");
    },
  } satisfies Feature;
}
