import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { MessagingConnectionsService } from "../messaging-connections/messaging-connections.service.ts";
import type { Twilio } from "../messaging-connections/twilio.ts";
import type { OutboundPlanner } from "../phone-calls/outbound/outbound-planner.ts";
import { DueWorker } from "./due-worker.ts";
import { MessageSender } from "./message-sender.ts";
import { bindMessageRoutes } from "./messages.routes.ts";
import { MessagesService, OUTBOUND_TOPIC } from "./messages.service.ts";
import { bindTwilioHooks } from "./twilio-hooks.routes.ts";

/** Requests to the provider at once on one node. */
const MAX_SENDING = 16;

interface Dependencies {
  agents: AgentsService;
  agentResolution: AgentResolution;
  conversations: ConversationsService;
  messagingConnections: MessagingConnectionsService;
  outboundPlanner: OutboundPlanner;
  twilio: Twilio;
}

export function createMessages(
  { config, database, bus, clock, logger }: NodeResources,
  { agents, agentResolution, conversations, messagingConnections, outboundPlanner, twilio }: Dependencies,
) {
  const messages = new MessagesService(database, {
    agents,
    agentResolution,
    conversations,
    outboundPlanner,
    bus,
    clock,
  });
  const connections = messagingConnections;
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
  return {
    services: { messages, messageSender },
    bindRoutes: (app) => {
      bindMessageRoutes(app, messages);
      const { publicUrl } = config.web;
      bindTwilioHooks(app, { connections, twilio, sender: messageSender, publicUrl });
    },
    start: () => sending.start(),
    drain: async () => await sending.close(),
    close: async () => await sending.close(),
  } satisfies Feature;
}
