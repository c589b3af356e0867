import { getAccessRoute, getOrganizationRoute, updateOrganizationRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { OrganizationsService } from "./organizations.service.ts";

export function bindOrganizationRoutes(app: FastifyInstance, organizations: OrganizationsService): void {
  bindRoute(app, getOrganizationRoute, async ({ principal }) => ({
    data: await organizations.get(principal.organizationId),
  }));
  bindRoute(app, getAccessRoute, async ({ principal: { actor, actorId, role } }) => ({
    data: { ...actor, id: actorId, role },
  }));
  bindRoute(app, updateOrganizationRoute, async ({ principal, body }) => ({
    data: await organizations.rename(principal.organizationId, body.name),
  }));
}
