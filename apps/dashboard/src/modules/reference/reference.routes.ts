import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/routes.tsx";

export const referenceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/docs",
  component: lazyRouteComponent(async () => await import("./reference-page.tsx"), "ReferencePage"),
});
