import { AppError, invalidBody } from "../../platform/app-error.ts";

/** The library's refusals in our words, by its code. */
const refusals: Readonly<Record<string, () => AppError>> = {
  INVALID_EMAIL_OR_PASSWORD: () => unauthorized("The e-mail address or the password is wrong."),
  INVALID_PASSWORD: () => invalidBody("password", "is not the current password"),
  INVALID_TOKEN: () => invalidBody("token", "is unknown, used or expired: request a new link"),
  INVALID_CODE: () =>
    unauthorized("The code is wrong. Codes change every 30 seconds: check the device's clock."),
  INVALID_BACKUP_CODE: () => unauthorized("The backup code is wrong or was already used."),
  INVALID_TWO_FACTOR_COOKIE: () => unauthorized("The sign-in has expired. Begin again with the password."),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () =>
    unauthorized("Too many codes were wrong. Begin again with the password."),
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    new AppError("rate_limited", {
      message: "Too many codes were wrong. No code is accepted for 15 minutes.",
      retryAfterSeconds: 15 * 60,
    }),
  TOTP_NOT_ENABLED: () => invalidBody("", "needs an authenticator app, and none is set up"),
  TOTP_ALREADY_ENABLED: () => invalidBody("", "an authenticator app is already set up: disable it first"),
  TWO_FACTOR_NOT_ENABLED: () => invalidBody("", "needs an authenticator app, and none is set up"),
  BACKUP_CODES_NOT_ENABLED: () => invalidBody("", "needs an authenticator app, and none is set up"),
};

/** `undefined` if it is a failure. */
export function refusalOf(status: number, code: string): AppError | undefined {
  const known = refusals[code];
  if (known !== undefined) return known();
  return status === 401 ? new AppError("unauthorized") : undefined;
}

function unauthorized(message: string): AppError {
  return new AppError("unauthorized", { message });
}
