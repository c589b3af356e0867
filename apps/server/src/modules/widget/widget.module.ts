import type { CallHangUpsService } from "../active-calls/call-hang-ups.service.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ChatHub } from "../chats/chat-hub.ts";
import type { ChatsService } from "../chats/chats.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { CustomersService } from "../customers/customers.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { WebCallsService } from "../web-calls/web-calls.service.ts";
import { WidgetSessionTokens } from "./session-tokens.ts";
import { VisitorStreams } from "./visitor-streams.ts";
import { WidgetCalls } from "./widget-calls.ts";
import { WidgetLimits } from "./widget-limits.ts";
import { encryptedWidgetSecrets, WidgetSecretsService } from "./widget-secrets.service.ts";
import { bindWidgetRoutes, bindWidgetSecretRoutes } from "./widget.routes.ts";
import { WidgetService } from "./widget.service.ts";

interface Dependencies {
  agents: AgentsService;
  agentResolution: AgentResolution;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
  conversations: ConversationsService;
  customers: CustomersService;
  calls: CallsService;
  callHangUps: CallHangUpsService;
  webCalls: WebCallsService;
  chats: ChatsService;
  chatHub: ChatHub;
}

export function createWidget({ database, encryption, clock }: NodeResources, dependencies: Dependencies) {
  const { agents, organizationLimits, chatHub: hub } = dependencies;
  const secrets = new WidgetSecretsService(database, encryption, { agents, clock });
  const widget = new WidgetService(database, {
    ...dependencies,
    secrets,
    tokens: new WidgetSessionTokens(encryption.deriveKeys("sessions of widgets")),
    limits: new WidgetLimits(database, clock, organizationLimits),
    calls: new WidgetCalls({ ...dependencies, clock }),
    clock,
  });
  const streams = new VisitorStreams();
  return {
    services: {},
    encryptedColumns: [encryptedWidgetSecrets],
    bindRoutes: (app) => {
      bindWidgetSecretRoutes(app, secrets);
      bindWidgetRoutes(app, { widget, hub, streams });
    },
    drain: async () => streams.close(),
    close: () => streams.close(),
  } satisfies Feature;
}
