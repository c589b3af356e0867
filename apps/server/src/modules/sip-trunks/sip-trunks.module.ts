import type { Feature, NodeResources } from "../feature.ts";
import { bindSipTrunkRoutes } from "./sip-trunks.routes.ts";
import { SipTrunksService } from "./sip-trunks.service.ts";
import { TrunkChecksService } from "./trunk-checks.service.ts";

export function createSipTrunks({ database, encryption, sip, clock }: NodeResources) {
  const sipTrunks = new SipTrunksService(database, encryption, clock);
  const sipTrunkChecks = new TrunkChecksService(sipTrunks, sip, clock);
  return {
    services: { sipTrunks },
    bindRoutes: (app) => bindSipTrunkRoutes(app, sipTrunks, sipTrunkChecks),
  } satisfies Feature;
}
