/** Signing in and out, and what signed-in people do with their own account: operations under `/auth`. */
import { type Static, Type } from "typebox";
import {
  emailSchema,
  newPasswordSchema,
  passwordSchema,
  personNameSchema,
  tokenSchema,
} from "./account-fields.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  nullable,
  nullableEnum,
  timestampSchema,
} from "../schemas.ts";
import { open, shared, signInResultSchema } from "./auth-route.ts";
import { memberRoles } from "./roles.ts";

const organizationNameSchema = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S" });

const userSchema = Type.Object(
  {
    id: idSchema,
    name: Type.String(),
    email: Type.String(),
    isTwoFactorEnabled: Type.Boolean({
      description: "Whether sign-in asks for a code of an authenticator app.",
    }),
    isOperator: Type.Boolean({ description: "Whether the user may use `/operator/v1`." }),
  },
  { title: "User" },
);

export type User = Static<typeof userSchema>;

const roleSchema = Type.Enum([...memberRoles]);

const currentSessionSchema = Type.Object(
  {
    user: userSchema,
    session: Type.Object({ id: idSchema, expiresAt: timestampSchema }),
    organization: Type.Unsafe<{ id: string; name: string; isBillingActive: boolean } | null>({
      anyOf: [
        Type.Object({ id: idSchema, name: Type.String(), isBillingActive: Type.Boolean() }),
        { type: "null" },
      ],
      description:
        "Active organization, which requests with the session cookie act on. Null: none is chosen.",
    }),
    role: nullableEnum(memberRoles, { description: "Role in the active organization." }),
    organizations: Type.Array(Type.Object({ id: idSchema, name: Type.String(), role: roleSchema }), {
      description: "All organizations of the user.",
    }),
  },
  { title: "CurrentSession" },
);

export type CurrentSession = Static<typeof currentSessionSchema>;

const sessionSchema = Type.Object(
  {
    id: idSchema,
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    ipAddress: nullable(Type.String({ description: "Address from which the session began." })),
    userAgent: nullable(Type.String({ description: "Browser with which the session began." })),
    isCurrent: Type.Boolean(),
  },
  { title: "Session" },
);

export type Session = Static<typeof sessionSchema>;

export const getAuthSettingsRoute = defineRoute({
  ...open,
  method: "GET",
  path: "/settings",
  operationId: "getAuthSettings",
  summary: "Get what the sign-in page needs to know",
  status: 200,
  response: dataOf(
    Type.Object(
      {
        hasOwner: Type.Boolean({
          description:
            "False: the installation is new. Its owner signs up with the link that the server printed.",
        }),
        isSignedIn: Type.Boolean({ description: "Whether the request has the cookie of a valid session." }),
        canSendMail: Type.Boolean({ description: "Whether forgotten passwords can be reset by e-mail." }),
      },
      { title: "AuthSettings" },
    ),
  ),
});

export const signUpRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/sign-up",
  operationId: "signUp",
  summary: "Sign up as the owner of a new installation",
  description:
    "Needs the token of the link that the server prints at its start while there is no owner. The owner is also the operator. Afterwards sign-up is closed: people join by invitation. Sets the session cookie.",
  body: closedObject(
    {
      token: tokenSchema,
      name: personNameSchema,
      email: emailSchema,
      password: newPasswordSchema,
      organizationName: Type.Optional(organizationNameSchema),
    },
    { title: "SignUp" },
  ),
  status: 201,
  response: dataOf(signInResultSchema),
});

export const signInRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/sign-in",
  operationId: "signIn",
  summary: "Sign in",
  description:
    "Sets the session cookie, unless a code is required. A wrong password and an unknown e-mail address get the same answer in the same time.",
  body: closedObject(
    {
      email: emailSchema,
      password: passwordSchema,
      rememberMe: Type.Optional(
        Type.Boolean({ description: "False: the session ends with the browser, at the latest after a day." }),
      ),
    },
    { title: "SignIn" },
  ),
  status: 200,
  response: dataOf(signInResultSchema),
});

export const signOutRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/sign-out",
  operationId: "signOut",
  summary: "Sign out",
  status: 200,
  response: dataOf(Type.Object({ isSignedOut: Type.Literal(true) }, { title: "SignedOut" })),
});

export const getSessionRoute = defineRoute({
  ...shared,
  method: "GET",
  path: "/session",
  operationId: "getSession",
  summary: "Get the user, role and organization of the session",
  status: 200,
  response: dataOf(currentSessionSchema),
});

export const switchOrganizationRoute = defineRoute({
  ...shared,
  method: "PUT",
  path: "/session/organization",
  operationId: "switchOrganization",
  summary: "Switch to another organization of the user",
  body: closedObject({ organizationId: idSchema }, { title: "OrganizationSwitch" }),
  status: 200,
  response: dataOf(currentSessionSchema),
  errors: ["not_found"],
});

export const leaveOrganizationRoute = defineRoute({
  ...shared,
  method: "DELETE",
  path: "/session/organization",
  operationId: "leaveOrganization",
  summary: "Leave the session's organization",
  description:
    "Ends the user's membership. The session continues in the organization that they joined first of those left, if there is one. " +
    "The last owner stays.",
  status: 200,
  response: dataOf(currentSessionSchema),
  errors: ["last_owner"],
});

export const listSessionsRoute = defineRoute({
  ...shared,
  method: "GET",
  path: "/sessions",
  operationId: "listSessions",
  summary: "List the user's sessions",
  status: 200,
  response: dataOf(Type.Array(sessionSchema)),
});

export const endSessionRoute = defineRoute({
  ...shared,
  method: "DELETE",
  path: "/sessions/{id}",
  operationId: "endSession",
  summary: "End one of the user's sessions",
  params: Type.Object({ id: { ...idSchema, description: "Id of the session." } }),
  status: 200,
  response: deletedResponse,
});

export const endAllSessionsRoute = defineRoute({
  ...shared,
  method: "DELETE",
  path: "/sessions",
  operationId: "endAllSessions",
  summary: "Sign out everywhere",
  description: "Ends all sessions of the user, the current one included.",
  status: 200,
  response: dataOf(Type.Object({ deleted: Type.Integer() }, { title: "SessionsEnded" })),
});

export const updateUserRoute = defineRoute({
  ...shared,
  method: "PATCH",
  path: "/user",
  operationId: "updateUser",
  summary: "Change the user's name",
  body: closedObject({ name: personNameSchema }, { title: "UserUpdate" }),
  status: 200,
  response: dataOf(userSchema),
});

export const changePasswordRoute = defineRoute({
  ...shared,
  method: "POST",
  path: "/password",
  operationId: "changePassword",
  summary: "Change the user's password",
  description: "Ends all other sessions of the user.",
  body: closedObject(
    { currentPassword: passwordSchema, newPassword: newPasswordSchema },
    { title: "PasswordChange" },
  ),
  status: 200,
  response: dataOf(Type.Object({ isChanged: Type.Literal(true) }, { title: "PasswordChanged" })),
});
