import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { bindSipTrunkRoutes } from "./sip-trunks.routes.ts";
import { encryptedPasswords, SipTrunksService } from "./sip-trunks.service.ts";
import { TrunkChecksService } from "./trunk-checks.service.ts";

export function createSipTrunks(
  { config, database, encryption, sip, clock }: NodeResources,
  { organizationLimits }: { organizationLimits: OrganizationLimitsService },
) {
  const sipTrunks = new SipTrunksService(database, { encryption, clock, organizationLimits });
  const sipTrunkChecks = new TrunkChecksService(sipTrunks, sip, {
    clock,
    isPrivateAllowed: config.isPrivateTrunkCheckAllowed,
  });
  return {
    services: { sipTrunks },
    encryptedColumns: [encryptedPasswords],
    bindRoutes: (app) => bindSipTrunkRoutes(app, sipTrunks, sipTrunkChecks),
  } satisfies Feature;
}
