import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { bindDoNotCallRoutes } from "./do-not-call.routes.ts";
import { DoNotCallService } from "./do-not-call.service.ts";

interface Dependencies {
  organizationLimits: OrganizationLimitsService;
}

export function createDoNotCall({ database, clock }: NodeResources, { organizationLimits }: Dependencies) {
  const doNotCall = new DoNotCallService(database, clock, organizationLimits);
  return {
    services: { doNotCall },
    bindRoutes: (app) => bindDoNotCallRoutes(app, doNotCall),
  } satisfies Feature;
}
