import type { AgentsService } from "../agents/agents.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { DoNotCallService } from "../do-not-call/do-not-call.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OutboundCallsService } from "../phone-calls/outbound/outbound-calls.service.ts";
import type { OutboundPlanner } from "../phone-calls/outbound/outbound-planner.ts";
import { bindCampaignRoutes, bindContactRoutes } from "./campaigns.routes.ts";
import { CAMPAIGNS_TOPIC as topic, CampaignsService } from "./campaigns.service.ts";
import { ContactsService } from "./contacts/contacts.service.ts";
import { DialClaims } from "./dialer/dial-claims.ts";
import { DialSettlement } from "./dialer/dial-settlement.ts";
import { Dialer } from "./dialer/dialer.ts";

interface Dependencies {
  agents: AgentsService;
  calls: CallsService;
  organizationLimits: OrganizationLimitsService;
  outboundCalls: OutboundCallsService;
  outboundPlanner: OutboundPlanner;
  doNotCall: DoNotCallService;
}

export function createCampaigns(
  { database, bus, clock, logger }: NodeResources,
  { agents, calls, outboundCalls, doNotCall, ...dependencies }: Dependencies,
) {
  const campaignContacts = new ContactsService(database, { bus, clock, calls, topic, ...dependencies });
  const campaigns = new CampaignsService(database, {
    bus,
    clock,
    agents,
    contacts: campaignContacts,
    ...dependencies,
  });
  const claims = new DialClaims(database, { clock, calls, outboundCalls, doNotCall });
  const dialer = new Dialer({ database, bus, clock, campaigns, outboundCalls, claims, topic, logger });
  const settlement = new DialSettlement(bus, topic);
  calls.ended.subscribe(async (transaction, { call, noticedAt }) => {
    await settlement.settle(transaction, call, noticedAt);
  });
  agents.deleted.subscribe(
    async (transaction, agentId) => await campaigns.requireUnused(transaction, agentId),
  );
  return {
    services: { campaigns, campaignContacts, dialer },
    bindRoutes: (app) => {
      bindCampaignRoutes(app, campaigns);
      bindContactRoutes(app, campaignContacts);
    },
    start: () => dialer.start(),
    drain: async () => await dialer.close(),
    close: async () => await dialer.close(),
  } satisfies Feature;
}
