import { getConversationRoute, listConversationsRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { ConversationsService } from "./conversations.service.ts";

export function bindConversationRoutes(app: FastifyInstance, conversations: ConversationsService): void {
  bindRoute(app, listConversationsRoute, async ({ principal, query }) => {
    return await conversations.list(principal.organizationId, query);
  });
  bindRoute(app, getConversationRoute, async ({ principal, params }) => ({
    data: await conversations.get(principal.organizationId, params.id),
  }));
}
