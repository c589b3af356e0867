import { includesRole, type requiredRoleOf } from "@parley/contract";
import { AppError } from "../app-error.ts";
import type { Principal } from "./principal.ts";

/** Throws `forbidden` if the principal has neither the role nor one that includes it. */
export function requireRole(
  { role, actor }: Pick<Principal, "role" | "actor">,
  required: ReturnType<typeof requiredRoleOf>,
  what = "This operation",
): void {
  if (includesRole(role, required)) return;
  const who = actor.type === "api_key" ? "this API key" : "you";
  const has = actor.type === "api_key" ? "has" : "have";
  throw new AppError("forbidden", {
    message: `${what} needs the role ${required}, but ${who} ${has} the role ${role}.`,
  });
}
