import type { Feature, NodeResources } from "../feature.ts";
import { OrganizationLimitsService } from "./organization-limits.ts";
import { bindOrganizationRoutes } from "./organizations.routes.ts";
import { OrganizationsService } from "./organizations.service.ts";

export function createOrganizations({ database, clock }: NodeResources) {
  const organizations = new OrganizationsService(database);
  return {
    services: { organizations, organizationLimits: new OrganizationLimitsService(database, clock) },
    bindRoutes: (app) => bindOrganizationRoutes(app, organizations),
  } satisfies Feature;
}
