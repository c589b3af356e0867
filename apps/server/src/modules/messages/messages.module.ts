import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ConversationMemory } from "../customers/memory/conversation-memory.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { MessagingConnectionsService } from "../messaging-connections/messaging-connections.service.ts";
import type { Twilio } from "../messaging-connections/twilio.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { OutboundPlanner } from "../phone-calls/outbound/outbound-planner.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import type { WebhooksService } from "../webhooks/webhooks.service.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { InboundMessages } from "./inbound-messages.ts";
import { MessageReplies } from "./message-replies.ts";
import { MessageRouting } from "./message-routing.ts";
import { MessageSender } from "./message-sender.ts";
import type { ReplyFailureLog } from "../conversations/text/reply-failures.ts";
import { TextModels } from "../conversations/text/text-models.ts";
import { endIdleThreadsJob } from "./messages.jobs.ts";
import { bindMessageRoutes } from "./messages.routes.ts";
import { INBOUND_TOPIC, MessagesService, OUTBOUND_TOPIC } from "./messages.service.ts";
import { bindTwilioHooks } from "./twilio-hooks.routes.ts";

/** Requests to the provider at once on one node. */
const MAX_SENDING = 16;
/** Replies that one node writes at once; they wait for the language model most of the time. */
const MAX_WRITING = 16;

interface Dependencies {
  activeCalls: Pick<ActiveCallRegistry, "sendTextsBy">;
  agents: AgentsService;
  agentResolution: AgentResolution;
  conversations: ConversationsService;
  messagingConnections: MessagingConnectionsService;
  outboundPlanner: OutboundPlanner;
  twilio: Twilio;
  organizations: OrganizationsService;
  memory: ConversationMemory;
  knowledgeSearch: KnowledgeSearch;
  replyFailures: ReplyFailureLog;
  providerKeys: ProviderKeysService;
  toolSigning: ToolSigning;
  webhooks: WebhooksService;
}

export function createMessages(node: NodeResources, dependencies: Dependencies) {
  const { config, database, bus, clock, logger } = node;
  const { conversations, messagingConnections: connections, twilio, webhooks, activeCalls } = dependencies;
  const messages = new MessagesService(database, { ...dependencies, bus, clock });
  activeCalls.sendTextsBy(async (message) => await messages.sendDuringCall(message));
  const messageSender = new MessageSender({ database, connections, twilio, clock, logger });
  const sending = new DueWorker({
    name: "sending messages",
    claim: async () => await messageSender.claim(),
    run: async (claimed) => await messageSender.run(claimed),
    maxRunning: MAX_SENDING,
    bus,
    topic: OUTBOUND_TOPIC,
    logger,
  });
  const routing = new MessageRouting(dependencies);
  const inbound = new InboundMessages({ database, routing, conversations, webhooks, bus, clock });
  const replying = createReplies(node, { ...dependencies, routing, messages });
  const stop = async (): Promise<void> => {
    await replying.stop();
    await sending.close();
  };
  return {
    services: { messages, messageSender, messageReplies: replying.messageReplies },
    bindRoutes: (app) => {
      bindMessageRoutes(app, messages);
      const { publicUrl } = config.web;
      bindTwilioHooks(app, { connections, twilio, sender: messageSender, inbound, publicUrl });
    },
    startJobs: async (jobs) => await jobs.work(endIdleThreadsJob(messages)),
    start: () => {
      sending.start();
      replying.start();
    },
    drain: stop,
    close: async () => {
      await stop();
      await replying.close();
    },
  } satisfies Feature;
}

/** Creates the replies to inbound messages with their language models. */
function createReplies(
  { config, database, bus, clock, inference, logger }: NodeResources,
  parts: Dependencies & { routing: MessageRouting; messages: MessagesService },
) {
  const { routing, messages, conversations, organizations, memory, knowledgeSearch, toolSigning } = parts;
  const outbound = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const models = new TextModels(config, parts.providerKeys, inference.path);
  const messageReplies = new MessageReplies({
    database,
    routing,
    messages,
    conversations,
    organizations,
    memory,
    knowledgeSearch,
    toolSigning,
    languageModelsFor: async (organizationId, llmModel) => await models.find(organizationId, llmModel),
    replyFailures: parts.replyFailures,
    outbound,
    clock,
    logger,
  });
  const writing = new DueWorker({
    name: "replying to messages",
    claim: async () => await messageReplies.claim(),
    run: async (claimed) => await messageReplies.run(claimed),
    maxRunning: MAX_WRITING,
    bus,
    topic: INBOUND_TOPIC,
    logger,
  });
  return {
    messageReplies,
    start: () => writing.start(),
    stop: async () => {
      messageReplies.close();
      await writing.close();
    },
    close: async () => {
      await outbound.close();
      await models.close();
    },
  };
}
