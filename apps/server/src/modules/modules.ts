import type { FastifyInstance } from "fastify";
import type { Bus } from "../platform/bus/bus.ts";
import type { Clock } from "../platform/database/database-clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { JobQueue } from "../platform/jobs/jobs.ts";
import type { Encryption } from "../platform/encryption/encryption.ts";
import type { ObjectStorage } from "../platform/object-storage/object-storage.ts";
import type { AgentDocument } from "./agents/agent-document.rules.ts";
import { AgentResolution } from "./agents/versions/agent-resolution.service.ts";
import { bindAgentVersionRoutes } from "./agents/versions/agent-versions.routes.ts";
import { AgentVersionsService } from "./agents/versions/agent-versions.service.ts";
import { AgentWriter } from "./agents/agent-writer.ts";
import { bindAgentRoutes } from "./agents/agents.routes.ts";
import { AgentsService } from "./agents/agents.service.ts";
import { bindCustomToolRoutes } from "./agents/tools/custom-tools.routes.ts";
import { CustomToolsService } from "./agents/tools/custom-tools.service.ts";
import { bindEnvironmentRoutes } from "./agents/versions/environments.routes.ts";
import { EnvironmentsService } from "./agents/versions/environments.service.ts";
import { AnalysisService } from "./analysis/analysis.service.ts";
import { bindAnalysisRoutes } from "./analysis/analysis.routes.ts";
import { bindAnalyticsRoutes } from "./analytics/analytics.routes.ts";
import { bindApiKeyRoutes } from "./api-keys/api-keys.routes.ts";
import { ApiKeysService } from "./api-keys/api-keys.service.ts";
import { bindActiveCallRoutes } from "./active-calls/active-calls.routes.ts";
import { CallInstructions } from "./active-calls/call-instructions.service.ts";
import { bindSipTraceRoutes } from "./sip-traces/sip-trace.routes.ts";
import { CallHangUpsService } from "./active-calls/call-hang-ups.service.ts";
import { CallStatistics } from "./calls/call-statistics.service.ts";
import { SipTracesService } from "./sip-traces/sip-trace.service.ts";
import { bindCallRoutes } from "./calls/calls.routes.ts";
import { CallPlacement } from "./active-calls/call-placement.ts";
import { CallsService } from "./calls/calls.service.ts";
import { bindPhoneCallRoutes } from "./phone-calls/phone-calls.routes.ts";
import { OutboundCallsService } from "./phone-calls/outbound-calls.service.ts";
import { OutboundPlanner } from "./phone-calls/outbound-planner.ts";
import { bindConversationRoutes } from "./conversations/conversations.routes.ts";
import { ConversationsService } from "./conversations/conversations.service.ts";
import { bindFolderRoutes } from "./folders/folders.routes.ts";
import { FoldersService } from "./folders/folders.service.ts";
import { CallNodes } from "./nodes/call-nodes.ts";
import { CallCommands } from "./active-calls/call-commands.ts";
import { bindOrganizationRoutes } from "./organizations/organizations.routes.ts";
import { OrganizationsService } from "./organizations/organizations.service.ts";
import { bindPhoneNumberRoutes } from "./phone-numbers/phone-numbers.routes.ts";
import { InboundNumbers } from "./phone-numbers/inbound-numbers.ts";
import { PhoneNumbersService } from "./phone-numbers/phone-numbers.service.ts";
import { bindSipTrunkRoutes } from "./sip-trunks/sip-trunks.routes.ts";
import { bindRecordingRoutes } from "./recordings/recordings.routes.ts";
import { RecordingsService } from "./recordings/recordings.service.ts";
import { SipTrunksService } from "./sip-trunks/sip-trunks.service.ts";
import { JoinTokens } from "./web-calls/join-tokens.ts";
import { bindWebCallRoutes } from "./web-calls/web-calls.routes.ts";
import { WebCallsService } from "./web-calls/web-calls.service.ts";
import { bindWhipRoutes } from "./web-calls/whip.routes.ts";
import { PostCallWebhook } from "./webhooks/post-call-webhook.ts";
import { SigningSecretsService } from "./webhooks/signing-secrets.service.ts";
import { WebhookDeliveriesService } from "./webhooks/webhook-deliveries.service.ts";
import { WebhooksService } from "./webhooks/webhooks.service.ts";
import { bindWebhookRoutes } from "./webhooks/webhooks.routes.ts";
import { TrunkChecksService } from "./sip-trunks/trunk-checks.service.ts";

export interface Modules {
  organizations: OrganizationsService;
  apiKeys: ApiKeysService;
  sipTrunks: SipTrunksService;
  sipTrunkChecks: TrunkChecksService;
  folders: FoldersService;
  agents: AgentsService;
  customTools: CustomToolsService;
  agentVersions: AgentVersionsService;
  environments: EnvironmentsService;
  agentResolution: AgentResolution;
  phoneNumbers: PhoneNumbersService;
  inboundNumbers: InboundNumbers;
  conversations: ConversationsService;
  calls: CallsService;
  analysis: AnalysisService;
  recordings: RecordingsService;
  outboundCalls: OutboundCallsService;
  webCalls: WebCallsService;
  callNodes: CallNodes;
  callHangUps: CallHangUpsService;
  callCommands: CallCommands;
  callInstructions: CallInstructions;
  sipTraces: SipTracesService;
  callStatistics: CallStatistics;
  signingSecrets: SigningSecretsService;
  webhooks: WebhooksService;
  postCallWebhook: PostCallWebhook;
  webhookDeliveries: WebhookDeliveriesService;
}

/** The features' services, each given what it needs of the others. */
export function createModules({
  database,
  encryption,
  jobs,
  bus,
  clock,
  storage,
  hasLanguageModel,
  onAgentWritten,
}: {
  database: Database;
  encryption: Encryption;
  jobs: JobQueue;
  bus: Bus;
  clock: Clock;
  storage: ObjectStorage;
  /** One that can be asked about calls. */
  hasLanguageModel: boolean;
  /** Called with each agent that is written; must not throw. */
  onAgentWritten?: (document: AgentDocument) => void;
}): Modules {
  const organizations = new OrganizationsService(database);
  const sipTrunks = new SipTrunksService(database, encryption);
  const folders = new FoldersService(database);
  const writer = new AgentWriter(encryption, onAgentWritten);
  const agents = new AgentsService(database, { writer, sipTrunks, folders });
  const agentResolution = new AgentResolution(database, writer);
  const webhooks = new WebhooksService(jobs);
  const conversations = new ConversationsService(database);
  const phoneNumbers = new PhoneNumbersService(database, {
    agents,
    agentResolution,
    writer,
    sipTrunks,
    organizations,
  });
  folders.deleting.subscribe(async (transaction, { by, folderId }) => {
    await agents.releaseFolder(transaction, by, folderId);
  });
  sipTrunks.deleting.subscribe(async (transaction, { by, sipTrunkId }) => {
    await phoneNumbers.releaseTrunk(transaction, by, sipTrunkId);
  });
  agents.deleted.subscribe(async (transaction, agentId) => {
    await phoneNumbers.releaseAgent(transaction, agentId);
  });
  const recordings = new RecordingsService(database, storage);
  const calls = new CallsService(database, { conversations, recordingLinks: recordings });
  const analysis = new AnalysisService({ database, calls, jobs, agentResolution, hasLanguageModel });
  analysis.subscribe();
  const postCallWebhook = new PostCallWebhook({ calls, conversations, recordings, webhooks });
  postCallWebhook.subscribe();
  const callNodes = new CallNodes(database, clock, calls);
  const callCommands = new CallCommands({ database, bus, clock });
  const placement = new CallPlacement({ calls, callNodes, callCommands });
  const joinTokens = new JoinTokens(encryption.deriveKey("tokens that join calls"));
  return {
    organizations,
    sipTrunks,
    sipTrunkChecks: new TrunkChecksService(sipTrunks),
    folders,
    agents,
    customTools: new CustomToolsService(database, { writer, agents }),
    agentVersions: new AgentVersionsService(database, { writer, agents }),
    environments: new EnvironmentsService(database, { writer, agents }),
    agentResolution,
    conversations,
    apiKeys: new ApiKeysService(database, organizations),
    phoneNumbers,
    inboundNumbers: new InboundNumbers({ database, sipTrunks, bus }),
    calls,
    analysis,
    recordings,
    callHangUps: new CallHangUpsService(calls, callCommands),
    webCalls: new WebCallsService({ calls, agentResolution, placement, callNodes, joinTokens }),
    callNodes,
    outboundCalls: new OutboundCallsService({
      calls,
      planner: new OutboundPlanner({ agentResolution, phoneNumbers, sipTrunks, organizations }),
      placement,
    }),
    callCommands,
    callInstructions: new CallInstructions(calls, callCommands),
    sipTraces: new SipTracesService(database, calls),
    callStatistics: new CallStatistics(database),
    webhooks,
    postCallWebhook,
    webhookDeliveries: new WebhookDeliveriesService(database, webhooks),
    signingSecrets: new SigningSecretsService(database, encryption),
  };
}

export function bindModuleRoutes(app: FastifyInstance, modules: Modules): void {
  bindAgentRoutes(app, modules.agents);
  bindCustomToolRoutes(app, modules.customTools);
  bindAgentVersionRoutes(app, modules.agentVersions);
  bindEnvironmentRoutes(app, modules.environments);
  bindPhoneNumberRoutes(app, modules.phoneNumbers);
  bindSipTrunkRoutes(app, modules.sipTrunks, modules.sipTrunkChecks);
  bindFolderRoutes(app, modules.folders);
  bindCallRoutes(app, modules.calls);
  bindActiveCallRoutes(app, modules);
  bindPhoneCallRoutes(app, modules.outboundCalls);
  bindAnalysisRoutes(app, modules.analysis);
  bindRecordingRoutes(app, modules.recordings);
  bindSipTraceRoutes(app, modules.sipTraces);
  bindAnalyticsRoutes(app, modules.callStatistics);
  bindConversationRoutes(app, modules.conversations);
  bindWebCallRoutes(app, modules.webCalls);
  bindWhipRoutes(app, modules.webCalls);
  bindWebhookRoutes(app, modules.signingSecrets, modules.webhookDeliveries);
  bindOrganizationRoutes(app, modules.organizations);
  bindApiKeyRoutes(app, modules.apiKeys);
}
