/** Operations for the holders of a link: resets of forgotten passwords, and invitations. */
import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf } from "../schemas.ts";
import { emailSchema, newPasswordSchema, personNameSchema, tokenSchema } from "./account-fields.ts";
import { open, signInResultSchema } from "./auth-route.ts";
import { memberRoles } from "./roles.ts";

export const requestPasswordResetRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/password-reset/request",
  operationId: "requestPasswordReset",
  summary: "Request a link that resets a forgotten password",
  description:
    "The link is sent to the address if it has an account, is valid for an hour and works once. The answer is the same for unknown addresses. `mail_not_configured`: the server sends no mail; its operator creates links with `npm run parley -- users reset-password EMAIL`.",
  body: closedObject({ email: emailSchema }, { title: "PasswordResetRequest" }),
  status: 200,
  response: dataOf(Type.Object({ isAccepted: Type.Literal(true) }, { title: "PasswordResetAccepted" })),
  errors: ["mail_not_configured"],
});

export const resetPasswordRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/password-reset",
  operationId: "resetPassword",
  summary: "Reset a forgotten password",
  description: "Ends all sessions of the user.",
  body: closedObject({ token: tokenSchema, password: newPasswordSchema }, { title: "PasswordReset" }),
  status: 200,
  response: dataOf(Type.Object({ isReset: Type.Literal(true) }, { title: "PasswordResetDone" })),
});

export const readInvitationRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/invitation",
  operationId: "readInvitation",
  summary: "Get an invitation by its token",
  body: closedObject({ token: tokenSchema }, { title: "InvitationToken" }),
  status: 200,
  response: dataOf(
    Type.Object(
      {
        organizationName: Type.String(),
        email: Type.String(),
        role: Type.Enum([...memberRoles]),
        hasAccount: Type.Boolean({
          description: "True: the person signs in to accept. False: they choose a name and a password.",
        }),
      },
      { title: "InvitationDetail" },
    ),
  ),
  errors: ["not_found"],
});

export const acceptInvitationRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/invitation/accept",
  operationId: "acceptInvitation",
  summary: "Accept an invitation",
  description:
    "A person without an account creates it with `name` and `password`, and is signed in. A person with an account signs in first. The organization becomes the session's active one.",
  body: closedObject(
    {
      token: tokenSchema,
      name: Type.Optional(personNameSchema),
      password: Type.Optional(newPasswordSchema),
    },
    { title: "InvitationAcceptance" },
  ),
  status: 200,
  response: dataOf(signInResultSchema),
  errors: ["not_found"],
});
