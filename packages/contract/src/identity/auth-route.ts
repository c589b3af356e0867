/** What the operations under `/auth` share. */
import { type Static, Type } from "typebox";

/** Bodies of these operations are small, and strangers send them. */
const BODY_LIMIT_BYTES = 16 * 1024;

export const signInResultSchema = Type.Object(
  {
    isTwoFactorRequired: Type.Boolean({
      description: "True: the session begins once a code has been sent to `/auth/sign-in/totp`.",
    }),
  },
  { title: "SignInResult" },
);

export type SignInResult = Static<typeof signInResultSchema>;

export const shared = {
  isAuth: true,
  isBillingRequired: false,
  tag: "Sign-in",
  bodyLimitBytes: BODY_LIMIT_BYTES,
} as const;
/** Needs no session. */
export const open = { ...shared, isPublic: true } as const;
