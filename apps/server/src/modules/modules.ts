import type { FastifyInstance } from "fastify";
import type { Database } from "../platform/database/database.ts";
import type { Encryption } from "../platform/encryption/encryption.ts";
import { bindAgentRoutes } from "./agents/agents.routes.ts";
import { AgentsService } from "./agents/agents.service.ts";
import { bindApiKeyRoutes } from "./api-keys/api-keys.routes.ts";
import { ApiKeysService } from "./api-keys/api-keys.service.ts";
import { bindCallRoutes } from "./calls/calls.routes.ts";
import { CallsService } from "./calls/calls.service.ts";
import { bindConversationRoutes } from "./conversations/conversations.routes.ts";
import { ConversationsService } from "./conversations/conversations.service.ts";
import { OrganizationsService } from "./organizations/organizations.service.ts";
import { bindPhoneNumberRoutes } from "./phone-numbers/phone-numbers.routes.ts";
import { PhoneNumbersService } from "./phone-numbers/phone-numbers.service.ts";
import { bindSipTrunkRoutes } from "./sip-trunks/sip-trunks.routes.ts";
import { SipTrunksService } from "./sip-trunks/sip-trunks.service.ts";

export interface Modules {
  organizations: OrganizationsService;
  apiKeys: ApiKeysService;
  sipTrunks: SipTrunksService;
  agents: AgentsService;
  phoneNumbers: PhoneNumbersService;
  conversations: ConversationsService;
  calls: CallsService;
}

/** The features' services, each given what it needs of the others. */
export function createModules({
  database,
  encryption,
}: {
  database: Database;
  encryption: Encryption;
}): Modules {
  const organizations = new OrganizationsService(database);
  const sipTrunks = new SipTrunksService(database, encryption);
  const agents = new AgentsService(database, sipTrunks);
  const conversations = new ConversationsService(database);
  return {
    organizations,
    sipTrunks,
    agents,
    conversations,
    apiKeys: new ApiKeysService(database, organizations),
    phoneNumbers: new PhoneNumbersService(database, { agents, sipTrunks, organizations }),
    calls: new CallsService(database, conversations),
  };
}

export function bindModuleRoutes(app: FastifyInstance, modules: Modules): void {
  bindAgentRoutes(app, modules.agents);
  bindPhoneNumberRoutes(app, modules.phoneNumbers);
  bindSipTrunkRoutes(app, modules.sipTrunks);
  bindCallRoutes(app, modules.calls);
  bindConversationRoutes(app, modules.conversations);
  bindApiKeyRoutes(app, modules.apiKeys);
}
