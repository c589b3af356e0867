import { apiKeyRoles, includesRole, memberRoles, requiredRoleOf, routes } from "@parley/contract";

const roles = [...new Set([...memberRoles, ...apiKeyRoles])];

/** Roles of people and keys that include a role. */
export const rolesIncluding: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  memberRoles.map((required) => [required, roles.filter((role) => includesRole(role, required))]),
);

/** Required roles by operation; those of operations that write and need `member` are left out. */
export const requiredRoles: Readonly<Record<string, string>> = Object.fromEntries(
  routes
    .map((route) => [route.operationId, requiredRoleOf(route)] as const)
    .filter(([, role]) => role === "admin" || role === "owner"),
);
