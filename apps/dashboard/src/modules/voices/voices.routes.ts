import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readPage, readText } from "../../ui/search-params.ts";

const categories = ["standard", "cloned"] as const;
const sources = ["custom", "builtin", "provider"] as const;

export interface VoicesSearch {
  page?: number;
  search?: string;
  language?: string;
  category?: (typeof categories)[number];
  source?: (typeof sources)[number];
}

const voicesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/voices",
  validateSearch: (raw): VoicesSearch => ({
    page: readPage(raw),
    search: readText(raw, "search"),
    language: readText(raw, "language"),
    category: readChoice(raw, "category", categories),
    source: readChoice(raw, "source", sources),
  }),
  component: lazyRouteComponent(async () => await import("./voices-page.tsx"), "VoicesPage"),
});

export const voiceRoutes = [voicesRoute] as const;
