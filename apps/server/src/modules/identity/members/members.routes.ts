import {
  createInvitationRoute,
  listInvitationsRoute,
  listMembersRoute,
  removeMemberRoute,
  updateMemberRoute,
  withdrawInvitationRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../../platform/http/bind-route.ts";
import type { InvitationsService } from "./invitations.service.ts";
import type { MembersService } from "./members.service.ts";

export function bindMemberRoutes(
  app: FastifyInstance,
  members: MembersService,
  invitations: InvitationsService,
): void {
  bindRoute(
    app,
    listMembersRoute,
    async ({ principal, query }) => await members.list(principal.organizationId, query),
  );
  bindRoute(app, updateMemberRoute, async ({ principal, params, body }) => ({
    data: await members.setRole(principal, params.id, body.role),
  }));
  bindRoute(app, removeMemberRoute, async ({ principal, params }) => {
    await members.remove(principal, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(
    app,
    createInvitationRoute,
    async ({ principal, body }) => ({ data: await invitations.create(principal, body) }),
    { isRemote: true },
  );
  bindRoute(
    app,
    listInvitationsRoute,
    async ({ principal, query }) => await invitations.list(principal.organizationId, query),
  );
  bindRoute(app, withdrawInvitationRoute, async ({ principal, params }) => {
    await invitations.withdraw(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
