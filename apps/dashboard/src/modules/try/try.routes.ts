import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/routes.tsx";

export const tryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/try",
  component: lazyRouteComponent(async () => await import("./try-page.tsx"), "TryPage"),
});
