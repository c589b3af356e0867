import type { ApiKeysService } from "../api-keys/api-keys.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import { bindOperatorRoutes } from "./operator.routes.ts";
import { OperatorService } from "./operator.service.ts";

interface Dependencies {
  apiKeys: ApiKeysService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
}

/** The operator's API. Its routes exist only if the operator has set a key. */
export function createOperator({ config, database }: NodeResources, dependencies: Dependencies) {
  const { operatorApiKey } = config;
  return {
    services: {},
    bindRoutes: (app) => {
      if (operatorApiKey === undefined) return;
      bindOperatorRoutes(app, operatorApiKey, new OperatorService(database, dependencies));
    },
  } satisfies Feature;
}
