import type { Feature, NodeResources } from "../feature.ts";
import { bindConversationRoutes } from "./conversations.routes.ts";
import { ConversationsService } from "./conversations.service.ts";

export function createConversations({ database }: NodeResources) {
  const conversations = new ConversationsService(database);
  return {
    services: { conversations },
    bindRoutes: (app) => bindConversationRoutes(app, conversations),
  } satisfies Feature;
}
