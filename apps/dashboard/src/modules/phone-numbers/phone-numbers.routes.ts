import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";

const numbersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/phone-numbers",
  validateSearch: (raw): { page?: number; sipTrunkId?: string } => ({
    page: readPage(raw),
    sipTrunkId: readText(raw, "sipTrunkId"),
  }),
  component: lazyRouteComponent(async () => await import("./numbers-page.tsx"), "NumbersPage"),
});

export const numberRoutes = [numbersRoute] as const;
