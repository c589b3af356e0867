import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { CallQuota } from "./call-quota.ts";
import { CallStatistics } from "./call-statistics.service.ts";
import { bindCallRoutes } from "./calls.routes.ts";
import { LostCalls } from "./lost-calls.ts";
import { CallsService, type RecordingLinks } from "./calls.service.ts";

interface Dependencies {
  conversations: ConversationsService;
  recordings: RecordingLinks;
  organizationLimits: OrganizationLimitsService;
}

export function createCalls(
  { database, clock }: NodeResources,
  { conversations, recordings, organizationLimits }: Dependencies,
) {
  const callQuota = new CallQuota(organizationLimits, clock);
  const calls = new CallsService(database, {
    conversations,
    recordingLinks: recordings,
    quota: callQuota,
  });
  return {
    services: {
      calls,
      lostCalls: new LostCalls(database, { calls, conversations }),
      callQuota,
      callStatistics: new CallStatistics(database),
    },
    bindRoutes: (app) => bindCallRoutes(app, calls),
  } satisfies Feature;
}
