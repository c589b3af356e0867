import { deleteMessageRoute, getMessageRoute, listMessagesRoute, sendMessageRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { MessagesService } from "./messages.service.ts";

export function bindMessageRoutes(app: FastifyInstance, messages: MessagesService): void {
  bindRoute(app, sendMessageRoute, async ({ principal, body }) => ({
    data: await messages.send(principal.organizationId, body),
  }));
  bindRoute(app, listMessagesRoute, async ({ principal, query }) => {
    return await messages.list(principal.organizationId, query);
  });
  bindRoute(app, getMessageRoute, async ({ principal, params }) => ({
    data: await messages.get(principal.organizationId, params.id),
  }));
  bindRoute(app, deleteMessageRoute, async ({ principal, params }) => {
    await messages.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
