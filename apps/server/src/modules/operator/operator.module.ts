import type { ApiKeysService } from "../api-keys/api-keys.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import { OperatedNumbersService } from "./operated-numbers.service.ts";
import { bindOperatorRoutes } from "./operator.routes.ts";
import { OperatorService } from "./operator.service.ts";

interface Dependencies {
  apiKeys: ApiKeysService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
  phoneNumbers: PhoneNumbersService;
}

/** The operator's API. Its routes exist only if the operator has set a key. */
export function createOperator({ config, database, logger }: NodeResources, dependencies: Dependencies) {
  const { operatorApiKey } = config;
  return {
    services: {},
    bindRoutes: (app) => {
      if (operatorApiKey === undefined) return;
      bindOperatorRoutes(app, operatorApiKey, {
        operator: new OperatorService(database, dependencies),
        numbers: new OperatedNumbersService({ ...dependencies, logger }),
      });
    },
  } satisfies Feature;
}
