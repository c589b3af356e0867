import type { Feature, NodeResources } from "../feature.ts";
import { deleteExpiredIdentitiesJob } from "./organizations.jobs.ts";
import { OrganizationLimitsService } from "./organization-limits.ts";
import { bindOrganizationRoutes } from "./organizations.routes.ts";
import { OrganizationsService } from "./organizations.service.ts";

export function createOrganizations({ database, clock }: NodeResources) {
  const organizations = new OrganizationsService(database);
  return {
    services: { organizations, organizationLimits: new OrganizationLimitsService(database, clock) },
    bindRoutes: (app) => bindOrganizationRoutes(app, organizations),
    startJobs: async (jobs) => await jobs.work(deleteExpiredIdentitiesJob(organizations, clock)),
  } satisfies Feature;
}
