import type { Feature, NodeResources } from "../feature.ts";
import { bindConversationRoutes } from "./conversations.routes.ts";
import { ConversationsService } from "./conversations.service.ts";
import { ReplyFailureLog } from "./text/reply-failures.ts";

export function createConversations({ database, metrics, clock, logger }: NodeResources) {
  const conversations = new ConversationsService(database);
  const replyFailures = new ReplyFailureLog({ conversations, metrics, clock, logger });
  return {
    services: { conversations, replyFailures },
    bindRoutes: (app) => bindConversationRoutes(app, conversations),
  } satisfies Feature;
}
