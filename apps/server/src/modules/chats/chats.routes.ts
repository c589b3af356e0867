import {
  type ConversationEvent,
  deleteConversationRoute,
  instructConversationRoute,
  sendChatMessageRoute,
  startTestChatRoute,
  streamConversationEventsRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { ChatHub } from "./chat-hub.ts";
import { ChatStream, readPlace, type StreamEvent } from "./chat-stream.ts";
import type { ChatsService } from "./chats.service.ts";
import type { TextConversationsService } from "./text-conversations.service.ts";

interface Services {
  chats: ChatsService;
  textConversations: TextConversationsService;
  hub: ChatHub;
  /** Aborts when the node shuts down. */
  closing: AbortSignal;
}

export function bindChatRoutes(
  app: FastifyInstance,
  { chats, textConversations, hub, closing }: Services,
): void {
  bindRoute(app, startTestChatRoute, async ({ principal, params, body }) => ({
    data: await chats.startTest(principal.organizationId, params.id, body),
  }));
  bindRoute(app, sendChatMessageRoute, async ({ principal, params, body }) => ({
    data: await chats.sendInTest(principal.organizationId, params.id, body),
  }));
  bindRoute(app, streamConversationEventsRoute, async ({ principal, params, lastEventId, disconnection }) => {
    const { organizationId } = principal;
    const { id } = params;
    const key = await chats.findKey(organizationId, id);
    return new ChatStream({
      hub,
      key,
      read: async (place) => await chats.read(organizationId, id, place),
      present: toConversationEvent,
      place: readPlace(lastEventId),
      endsWithChat: true,
      signal: AbortSignal.any([disconnection, closing]),
    });
  });
  bindRoute(app, instructConversationRoute, async ({ principal, params, body }) => {
    const { instruction, speak = false } = body;
    await textConversations.instruct(principal.organizationId, params.id, { instruction, speak });
    return { data: { conversationId: params.id, delivered: true as const, speak } };
  });
  bindRoute(app, deleteConversationRoute, async ({ principal, params }) => {
    await textConversations.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}

function toConversationEvent(event: StreamEvent): ConversationEvent {
  return event.type === "item" ? { type: "item", item: event.item } : event;
}
