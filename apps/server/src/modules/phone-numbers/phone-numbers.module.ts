import type { AgentWriter } from "../agents/agent-writer.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { InboundNumbers } from "./inbound-numbers.ts";
import { NumberClaims } from "./number-claims.ts";
import { bindPhoneNumberRoutes } from "./phone-numbers.routes.ts";
import { PhoneNumbersService } from "./phone-numbers.service.ts";

interface Dependencies {
  agents: AgentsService;
  agentResolution: AgentResolution;
  writer: AgentWriter;
  sipTrunks: SipTrunksService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
}

export function createPhoneNumbers(
  { database, bus, clock, metrics }: NodeResources,
  dependencies: Dependencies,
) {
  const { agents, sipTrunks } = dependencies;
  const claims = new NumberClaims(sipTrunks);
  const phoneNumbers = new PhoneNumbersService(database, { ...dependencies, claims, clock });
  const inboundNumbers = new InboundNumbers({ database, sipTrunks, bus });
  sipTrunks.deleting.subscribe(async (transaction, { by, sipTrunkId, isForced }) => {
    await phoneNumbers.releaseTrunk(transaction, by, sipTrunkId, { isForced });
  });
  sipTrunks.inboundChanged.subscribe(async (transaction, trunk) => {
    await claims.requireTrunk(transaction, trunk);
  });
  agents.deleted.subscribe(async (transaction, agentId) => {
    await phoneNumbers.releaseAgent(transaction, agentId);
  });
  metrics.addCounter(
    "parley_sip_number_lookups_total",
    "Database look-ups of numbers called by INVITEs. One look-up serves all waiting numbers.",
    () => inboundNumbers.lookupCount,
  );
  return {
    services: { phoneNumbers, inboundNumbers },
    bindRoutes: (app) => bindPhoneNumberRoutes(app, phoneNumbers),
  } satisfies Feature;
}
