import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ConversationMemory } from "../customers/memory/conversation-memory.ts";
import type { ReplyFailureLog } from "../conversations/text/reply-failures.ts";
import { TextModels } from "../conversations/text/text-models.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { MessagesService } from "../messages/messages.service.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import { ChatAnnouncements } from "./chat-announcements.ts";
import { ChatHub } from "./chat-hub.ts";
import { ChatReplies, MAX_WRITING } from "./chat-replies.ts";
import { endIdleChatsJob } from "./chats.jobs.ts";
import { bindChatRoutes } from "./chats.routes.ts";
import { ChatsService } from "./chats.service.ts";
import { TextConversationsService } from "./text-conversations.service.ts";

interface Dependencies {
  agentResolution: AgentResolution;
  conversations: ConversationsService;
  messages: MessagesService;
  memory: ConversationMemory;
  knowledgeSearch: KnowledgeSearch;
  organizations: OrganizationsService;
  replyFailures: ReplyFailureLog;
  providerKeys: ProviderKeysService;
  toolSigning: ToolSigning;
}

export function createChats(node: NodeResources, dependencies: Dependencies) {
  const { database, clock, bus, logger } = node;
  const { conversations, messages } = dependencies;
  const { hub, announcements, announce, chatReplies, closeModels } = createReplies(node, dependencies);
  const parts = { hub, announce, clock, replies: chatReplies };
  const chats = new ChatsService(database, { ...dependencies, ...parts });
  const textConversations = new TextConversationsService(database, { conversations, chats, messages });
  const worker = new DueWorker({
    name: "replying in chats",
    claim: async () => await chatReplies.claimDue(),
    run: async (claimed) => await chatReplies.run(claimed),
    maxRunning: MAX_WRITING,
    bus,
    logger,
  });
  const closing = new AbortController();
  let stopListening = (): void => {};
  const stop = async (): Promise<void> => {
    stopListening();
    closing.abort();
    await chatReplies.close();
    await worker.close();
  };
  return {
    services: { chats, chatReplies, chatHub: hub, textConversations },
    bindRoutes: (app) => {
      bindChatRoutes(app, { chats, textConversations, hub, closing: closing.signal });
    },
    startJobs: async (jobs) => await jobs.work(endIdleChatsJob(chats)),
    start: () => {
      const onError = (error: unknown): void => logger.warn({ err: error }, "taking up a chat failed");
      stopListening = announcements.listen(hub, chatReplies, onError);
      worker.start();
    },
    drain: stop,
    close: async () => {
      await stop();
      await closeModels();
    },
  } satisfies Feature;
}

/** Creates the replies with their language models. */
function createReplies(
  { config, database, nodeId, bus, clock, inference, logger }: NodeResources,
  dependencies: Dependencies,
) {
  const hub = new ChatHub();
  const announcements = new ChatAnnouncements(bus, nodeId);
  const announce: ChatAnnouncements["publish"] = async (transaction, key) =>
    await announcements.publish(transaction, key);
  const outbound = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const models = new TextModels(config, dependencies.providerKeys, inference.path);
  const languageModelsFor: TextModels["find"] = async (organizationId, llmModel) =>
    await models.find(organizationId, llmModel);
  const edges = { announce, outbound, languageModelsFor };
  const chatReplies = new ChatReplies({ ...dependencies, ...edges, database, hub, clock, logger });
  const closeModels = async (): Promise<void> => {
    await outbound.close();
    await models.close();
  };
  return { hub, announcements, announce, chatReplies, closeModels };
}
