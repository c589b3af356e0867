import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@parley/contract";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { betterAuth } from "better-auth/minimal";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { Database } from "../../platform/database/database.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import { CLIENT_ADDRESS_HEADER } from "./auth-headers.ts";
import { deleteVerificationsOf, findFirstOrganizationId } from "./identity.store.ts";
import * as tables from "./identity.tables.ts";
import { HashingQueue } from "./password-hashing.ts";
import { librarySecretsOf } from "./two-factor-encryption.ts";

const SESSION_SECONDS = 14 * 24 * 60 * 60;
export const RESET_SECONDS = 60 * 60;

export interface AuthLibraryOptions {
  database: Database;
  encryption: Encryption;
  /** URL of this server, as browsers see it. */
  origin: string;
  /** Receives the token of a requested password reset. */
  sendPasswordReset: (email: string, token: string) => Promise<void>;
}

export type AuthLibrary = ReturnType<typeof createAuthLibrary>;

/**
 * better-auth on our tables: passwords, sessions, cookies, codes. Only `auth.api` is used, by our routes, which check
 * origins, limits and bodies; its own HTTP handler is not served.
 */
export function createAuthLibrary({ database, encryption, origin, sendPasswordReset }: AuthLibraryOptions) {
  const hashing = new HashingQueue();
  return {
    hash: async (password: string) => await hashing.run(async () => await hashPassword(password)),
    ...betterAuth({
      appName: "Parley",
      baseURL: origin,
      basePath: "/auth",
      secrets: librarySecretsOf(encryption),
      database: drizzleAdapter(database, { provider: "pg", usePlural: true, schema: tables }),
      emailAndPassword: {
        enabled: true,
        // People are created by invitation or by the link of a new installation.
        disableSignUp: true,
        minPasswordLength: MIN_PASSWORD_LENGTH,
        maxPasswordLength: MAX_PASSWORD_LENGTH,
        password: {
          hash: async (password) => await hashing.run(async () => await hashPassword(password)),
          verify: async (given) => await hashing.run(async () => await verifyPassword(given)),
        },
        resetPasswordTokenExpiresIn: RESET_SECONDS,
        revokeSessionsOnPasswordReset: true,
        onPasswordReset: async ({ user }) => await deleteVerificationsOf(database, user.id),
        sendResetPassword: async ({ user, token }) => await sendPasswordReset(user.email, token),
      },
      user: { additionalFields: { isOperator: { type: "boolean", input: false, defaultValue: false } } },
      // The tokens of links that were sent are secrets; the others are useless without the browser's cookie.
      verification: { storeIdentifier: { default: "plain", overrides: { "reset-password": "hashed" } } },
      session: {
        expiresIn: SESSION_SECONDS,
        additionalFields: { activeOrganizationId: { type: "string", required: false, input: false } },
      },
      databaseHooks: { session: { create: { before: chooseOrganization(database) } } },
      plugins: [twoFactor({ issuer: "Parley" })],
      advanced: {
        cookiePrefix: "parley",
        useSecureCookies: origin.startsWith("https:"),
        database: { generateId: "uuid" },
        ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      },
      rateLimit: { enabled: false },
      telemetry: { enabled: false },
      logger: { disabled: true },
    }),
  };
}

/** A new session begins in the organization that the user joined first, one that replaces another in the same. */
function chooseOrganization(database: Database) {
  return async (session: { userId: string; activeOrganizationId?: unknown }) => ({
    data: {
      ...session,
      activeOrganizationId:
        session.activeOrganizationId ?? (await findFirstOrganizationId(database, session.userId)),
    },
  });
}
