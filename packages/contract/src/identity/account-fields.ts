/** Fields of people and their credentials. */
import { Type } from "typebox";

export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 128;

export const emailSchema = Type.String({
  format: "email",
  maxLength: 254,
  description: "E-mail address. Case is ignored.",
  examples: ["ada@example.com"],
});

/** A password that is compared: its length is checked only to bound the work. */
export const passwordSchema = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_LENGTH,
  examples: ["correct horse battery"],
});

export const newPasswordSchema = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
  examples: ["correct horse battery"],
});

export const personNameSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "\\S",
  description: "Name of the person, shown as actor in version histories and in the audit log.",
  examples: ["Ada Lovelace"],
});

export const tokenSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Token of the link.",
  examples: ["Zr8wq3J1…"],
});
