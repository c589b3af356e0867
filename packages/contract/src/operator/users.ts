import { Type } from "typebox";
import { createdInvitationResponse, invitationBody } from "../identity/members.ts";
import { emailSchema } from "../identity/account-fields.ts";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, timestampSchema } from "../schemas.ts";
import { operated } from "./organizations.ts";

export const createPasswordResetRoute = defineRoute({
  ...operated,
  method: "POST",
  path: "/users/password-resets",
  operationId: "createPasswordReset",
  summary: "Create a link that resets a user's password",
  description: "The link is valid for an hour and works once. An unknown address returns `not_found`.",
  body: closedObject({ email: emailSchema }, { title: "PasswordResetCreate" }),
  status: 201,
  response: dataOf(
    Type.Object({ link: Type.String(), expiresAt: timestampSchema }, { title: "PasswordResetLink" }),
  ),
  errors: ["not_found"],
});

export const setOperatorRoute = defineRoute({
  ...operated,
  method: "PUT",
  path: "/users/operators",
  operationId: "setOperator",
  summary: "Make a user an operator, or no longer",
  description: "An unknown address returns `not_found`.",
  body: closedObject({ email: emailSchema, isOperator: Type.Boolean() }, { title: "OperatorUpdate" }),
  status: 200,
  response: dataOf(
    Type.Object({ email: Type.String(), isOperator: Type.Boolean() }, { title: "OperatorState" }),
  ),
  errors: ["not_found"],
});

export const inviteToOrganizationRoute = defineRoute({
  ...operated,
  method: "POST",
  path: "/organizations/{id}/invitations",
  operationId: "inviteToOrganization",
  summary: "Invite a person to an organization",
  description: "For example its first owner.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the organization." } }),
  body: invitationBody,
  status: 201,
  response: createdInvitationResponse,
  errors: ["limit_reached"],
});
