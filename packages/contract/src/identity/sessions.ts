/** Signing in and out, and what signed-in people do with their own account: operations under `/auth`. */
import { type Static, Type } from "typebox";
import {
  emailSchema,
  newPasswordSchema,
  passwordSchema,
  personNameSchema,
  tokenSchema,
} from "./account-fields.ts";
import { defineRoute, type RouteDefinition } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  nullable,
  nullableEnum,
  timestampSchema,
} from "../schemas.ts";
import { memberRoles } from "./roles.ts";

/** Bodies of these operations are small, and strangers send them. */
const BODY_LIMIT_BYTES = 16 * 1024;

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

const signInResultSchema = Type.Object(
  {
    isTwoFactorRequired: Type.Boolean({
      description: "True: the session begins once a code has been sent to `/auth/sign-in/totp`.",
    }),
  },
  { title: "SignInResult" },
);

export type SignInResult = Static<typeof signInResultSchema>;

const shared = {
  isAuth: true,
  isBillingRequired: false,
  tag: "Sign-in",
  bodyLimitBytes: BODY_LIMIT_BYTES,
} as const;
/** Needs no session. */
const open = { ...shared, isPublic: true } as const;

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

const codeFields = {
  code: Type.String({ minLength: 1, maxLength: 32, examples: ["123456"] }),
  isDeviceTrusted: Type.Optional(
    Type.Boolean({ description: "True: this browser is not asked for a code for 30 days." }),
  ),
};

export const signInWithTotpRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/sign-in/totp",
  operationId: "signInWithTotp",
  summary: "Complete a sign-in with a code of the authenticator app",
  body: closedObject(codeFields, { title: "TotpSignIn" }),
  status: 200,
  response: dataOf(signInResultSchema),
});

export const signInWithBackupCodeRoute = defineRoute({
  ...open,
  method: "POST",
  path: "/sign-in/backup-code",
  operationId: "signInWithBackupCode",
  summary: "Complete a sign-in with a backup code",
  description: "Each backup code works once.",
  body: closedObject(codeFields, { title: "BackupCodeSignIn" }),
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

const backupCodesSchema = Type.Array(Type.String(), {
  description: "Codes that each replace one code of the authenticator app. Returned only in this response.",
});

const confirmationBody = closedObject({ password: passwordSchema }, { title: "PasswordConfirmation" });

const twoFactorStateSchema = Type.Object({ isTwoFactorEnabled: Type.Boolean() }, { title: "TwoFactorState" });

export const createTotpRoute = defineRoute({
  ...shared,
  method: "POST",
  path: "/totp",
  operationId: "createTotp",
  summary: "Begin to use an authenticator app",
  description:
    "Returns a secret for the app. Sign-in asks for codes only once a first one has been confirmed.",
  body: confirmationBody,
  status: 200,
  response: dataOf(
    Type.Object(
      {
        uri: Type.String({ description: "`otpauth://` URI, to be shown as a QR code." }),
        backupCodes: backupCodesSchema,
      },
      { title: "TotpSecret" },
    ),
  ),
});

export const confirmTotpRoute = defineRoute({
  ...shared,
  method: "POST",
  path: "/totp/confirm",
  operationId: "confirmTotp",
  summary: "Confirm the authenticator app with a first code",
  body: closedObject({ code: codeFields.code }, { title: "TotpConfirmation" }),
  status: 200,
  response: dataOf(twoFactorStateSchema),
});

export const disableTotpRoute = defineRoute({
  ...shared,
  method: "POST",
  path: "/totp/disable",
  operationId: "disableTotp",
  summary: "Stop using the authenticator app",
  body: confirmationBody,
  status: 200,
  response: dataOf(twoFactorStateSchema),
});

export const replaceBackupCodesRoute = defineRoute({
  ...shared,
  method: "POST",
  path: "/totp/backup-codes",
  operationId: "replaceBackupCodes",
  summary: "Create new backup codes",
  description: "The earlier ones stop working.",
  body: confirmationBody,
  status: 200,
  response: dataOf(Type.Object({ backupCodes: backupCodesSchema }, { title: "BackupCodes" })),
});

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
        role: roleSchema,
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

/** Operations under `/auth`, with the session cookie or no credential. */
export const authRoutes: readonly RouteDefinition[] = [
  getAuthSettingsRoute,
  signUpRoute,
  signInRoute,
  signInWithTotpRoute,
  signInWithBackupCodeRoute,
  signOutRoute,
  getSessionRoute,
  switchOrganizationRoute,
  leaveOrganizationRoute,
  listSessionsRoute,
  endSessionRoute,
  endAllSessionsRoute,
  updateUserRoute,
  changePasswordRoute,
  createTotpRoute,
  confirmTotpRoute,
  disableTotpRoute,
  replaceBackupCodesRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
  readInvitationRoute,
  acceptInvitationRoute,
];
