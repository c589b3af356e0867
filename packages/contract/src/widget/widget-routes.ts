import type { RouteDefinition } from "../route.ts";
import {
  endWidgetChatRoute,
  getWidgetChatRoute,
  sendWidgetMessageRoute,
  streamWidgetEventsRoute,
} from "./widget-chat.ts";
import { getWidgetSettingsRoute, startWidgetCallRoute, startWidgetSessionRoute } from "./widget-sessions.ts";

/**
 * Operations under `/widget`, for pages of other origins: CORS is open (`Access-Control-Allow-Origin: *`, no cookies), the
 * credential is a session's token in `Authorization: Bearer`, and the page's `Origin` is compared with `allowedDomains` on
 * every request. Pages of this server itself are always allowed. `billing_inactive` is answered by all of them.
 */
export const widgetRoutes: readonly RouteDefinition[] = [
  getWidgetSettingsRoute,
  startWidgetSessionRoute,
  getWidgetChatRoute,
  sendWidgetMessageRoute,
  endWidgetChatRoute,
  streamWidgetEventsRoute,
  startWidgetCallRoute,
];
