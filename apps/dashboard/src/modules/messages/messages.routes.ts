import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readPage, readText } from "../../ui/search-params.ts";

const directions = ["INBOUND", "OUTBOUND"] as const;
const statuses = ["queued", "sent", "delivered", "failed", "received"] as const;

export interface MessagesSearch {
  page?: number;
  number?: string;
  direction?: (typeof directions)[number];
  status?: (typeof statuses)[number];
}

const messagesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/messages",
  validateSearch: (raw): MessagesSearch => ({
    page: readPage(raw),
    number: readText(raw, "number"),
    direction: readChoice(raw, "direction", directions),
    status: readChoice(raw, "status", statuses),
  }),
  component: lazyRouteComponent(async () => await import("./messages-page.tsx"), "MessagesPage"),
});

const threadRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/messages/$conversationId",
  component: lazyRouteComponent(async () => await import("./thread-page.tsx"), "ThreadPage"),
});

export const messageRoutes = [messagesRoute, threadRoute] as const;
