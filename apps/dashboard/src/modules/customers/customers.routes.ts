import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readPage, readText } from "../../ui/search-params.ts";

export interface CustomersSearch {
  page?: number | undefined;
  phoneNumber?: string | undefined;
  userId?: string | undefined;
}

const customersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/customers",
  validateSearch: (raw): CustomersSearch => ({
    page: readPage(raw),
    phoneNumber: readText(raw, "phoneNumber"),
    userId: readText(raw, "userId"),
  }),
  component: lazyRouteComponent(async () => await import("./customers-page.tsx"), "CustomersPage"),
});

const customerRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/customers/$customerId",
  component: lazyRouteComponent(async () => await import("./customer-page.tsx"), "CustomerPage"),
});

export const customerRoutes = [customersRoute, customerRoute] as const;
