import { getCustomerRoute, listCustomersRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CustomersService } from "./customers.service.ts";

export function bindCustomerRoutes(app: FastifyInstance, customers: CustomersService): void {
  bindRoute(app, listCustomersRoute, async ({ principal, query }) => {
    return await customers.list(principal.organizationId, query);
  });
  bindRoute(app, getCustomerRoute, async ({ principal, params }) => ({
    data: await customers.get(principal.organizationId, params.id),
  }));
}
