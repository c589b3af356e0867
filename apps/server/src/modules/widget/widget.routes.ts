import {
  deleteWidgetSecretRoute,
  endWidgetChatRoute,
  getWidgetChatRoute,
  getWidgetSecretRoute,
  getWidgetSettingsRoute,
  rotateWidgetSecretRoute,
  sendWidgetMessageRoute,
  startWidgetCallRoute,
  startWidgetSessionRoute,
  streamWidgetEventsRoute,
  type WidgetEvent,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { ChatHub } from "../chats/chat-hub.ts";
import { ChatStream, readPlace, type StreamEvent } from "../chats/chat-stream.ts";
import { allowAllOrigins, bindPreflight, bindWidgetRoute } from "./bind-widget-route.ts";
import { toWidgetMessage } from "./widget-message.rules.ts";
import type { WidgetSecretsService } from "./widget-secrets.service.ts";
import type { WidgetService } from "./widget.service.ts";
import type { VisitorStreams } from "./visitor-streams.ts";

export function bindWidgetSecretRoutes(app: FastifyInstance, secrets: WidgetSecretsService): void {
  bindRoute(app, rotateWidgetSecretRoute, async ({ principal, params }) => ({
    data: await secrets.rotate(principal.organizationId, params.id),
  }));
  bindRoute(app, getWidgetSecretRoute, async ({ principal, params }) => ({
    data: await secrets.get(principal.organizationId, params.id),
  }));
  bindRoute(app, deleteWidgetSecretRoute, async ({ principal, params }) => ({
    data: await secrets.delete(principal.organizationId, params.id),
  }));
}

interface Services {
  widget: WidgetService;
  hub: ChatHub;
  streams: VisitorStreams;
}

export function bindWidgetRoutes(app: FastifyInstance, { widget, hub, streams }: Services): void {
  app.decorateRequest("visit", undefined);
  app.register(async (pages) => {
    allowAllOrigins(pages);
    bindPreflight(pages);
    bindWidgetRoute(pages, widget, getWidgetSettingsRoute, async ({ visit }) => ({
      data: await widget.readSettings(visit),
    }));
    bindWidgetRoute(pages, widget, startWidgetSessionRoute, async ({ visit, params, body, address }) => ({
      data: await widget.startSession(visit, params.widgetKey, body, address),
    }));
    bindWidgetRoute(pages, widget, getWidgetChatRoute, async ({ visit, customerId }) => ({
      data: await widget.readChat(visit, customerId),
    }));
    bindWidgetRoute(pages, widget, sendWidgetMessageRoute, async ({ visit, customerId, body, address }) => ({
      data: await widget.send(visit, customerId, body, address),
    }));
    bindWidgetRoute(pages, widget, endWidgetChatRoute, async ({ customerId }) => ({
      data: await widget.end(customerId),
    }));
    bindWidgetRoute(pages, widget, startWidgetCallRoute, async ({ visit, customerId, body, ...request }) => ({
      data: await widget.startCall(visit, customerId, body, request),
    }));
    bindWidgetRoute(pages, widget, streamWidgetEventsRoute, async (request) => {
      const { visit, customerId, lastEventId, disconnection } = request;
      const { organizationId } = visit.agent;
      const expiresInMs = (visit.session?.expiresAt.getTime() ?? 0) - Date.now();
      return new ChatStream({
        hub,
        key: customerId,
        read: async (place) => await widget.read(organizationId, customerId, place),
        present: toWidgetEvent,
        place: readPlace(lastEventId),
        endsWithChat: false,
        signal: streams.open(customerId, disconnection, expiresInMs),
      });
    });
  });
}

/** Pages see messages, not tools, instructions and notes. */
export function toWidgetEvent(event: StreamEvent): WidgetEvent | undefined {
  if (event.type !== "item") return event;
  const { conversationId, item, beganAt } = event;
  if (item.type !== "message") return undefined;
  return { type: "message", conversationId, message: toWidgetMessage(item, beganAt) };
}
