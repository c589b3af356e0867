import { createPasswordResetRoute, inviteToOrganizationRoute, setOperatorRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindOperatorRoute } from "../../platform/http/bind-operator-route.ts";
import type { InvitationsService } from "../identity/members/invitations.service.ts";
import type { PasswordResetsService } from "../identity/password-resets.service.ts";
import type { UsersService } from "../identity/users.service.ts";

interface UserRouteDependencies {
  invitations: InvitationsService;
  passwordResets: PasswordResetsService;
  users: UsersService;
}

/** What the operator does with people. */
export function bindUserRoutes(
  app: FastifyInstance,
  key: string | undefined,
  { invitations, passwordResets, users }: UserRouteDependencies,
): void {
  bindOperatorRoute(app, inviteToOrganizationRoute, key, async ({ params, body, note }) => {
    note({ organizationId: params.id, targetId: body.email });
    const actor = { type: "system" as const, name: "The operator" };
    return { data: await invitations.create({ organizationId: params.id, role: "owner", actor }, body) };
  });
  bindOperatorRoute(app, createPasswordResetRoute, key, async ({ body, note }) => {
    note({ targetId: body.email });
    return { data: await passwordResets.createLink(body.email) };
  });
  bindOperatorRoute(app, setOperatorRoute, key, async ({ body: { email, isOperator }, note }) => {
    note({ targetId: email });
    await users.setOperator(email, isOperator);
    return { data: { email: email.toLowerCase(), isOperator } };
  });
}
