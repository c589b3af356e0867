import type { RouteDefinition } from "../route.ts";

/** Roles of people in an organization, highest first. */
export const memberRoles = ["owner", "admin", "member", "viewer"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Roles of API keys, highest first. */
export const apiKeyRoles = ["admin", "member", "read"] as const;
export type ApiKeyRole = (typeof apiKeyRoles)[number];

/** Lowest role that may use a route. A key with `read` counts as `viewer`. */
export type RequiredRole = MemberRole;

const ranks: Readonly<Record<MemberRole | ApiKeyRole, number>> = {
  owner: 3,
  admin: 2,
  member: 1,
  viewer: 0,
  read: 0,
};

/** Whether a role includes another. */
export function includesRole(role: MemberRole | ApiKeyRole, required: RequiredRole): boolean {
  return ranks[role] >= ranks[required];
}

/** Role that a route needs: its own, else `viewer` to read and `member` to write. */
export function requiredRoleOf({ role, method }: RouteDefinition): RequiredRole {
  return role ?? (method === "GET" ? "viewer" : "member");
}
