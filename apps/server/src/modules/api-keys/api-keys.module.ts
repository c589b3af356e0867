import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import { bindApiKeyRoutes } from "./api-keys.routes.ts";
import { ApiKeysService } from "./api-keys.service.ts";

export function createApiKeys(
  { config, database, clock }: NodeResources,
  { organizations }: { organizations: OrganizationsService },
) {
  const apiKeys = new ApiKeysService(database, organizations, clock);
  return {
    services: { apiKeys },
    bindRoutes: (app) => bindApiKeyRoutes(app, apiKeys),
    prepare: async () => {
      if (config.bootstrapApiKey !== undefined)
        await apiKeys.ensureBootstrapOrganization(config.bootstrapApiKey);
    },
  } satisfies Feature;
}
