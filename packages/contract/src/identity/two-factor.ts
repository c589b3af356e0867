/** Authenticator apps: signing in with their codes, beginning and ending their use. */
import { Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf } from "../schemas.ts";
import { passwordSchema } from "./account-fields.ts";
import { open, shared, signInResultSchema } from "./auth-route.ts";

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
