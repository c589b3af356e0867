import type { MemberRole } from "@parley/contract";

/** What each role may do, highest first. */
export const roles: readonly { value: MemberRole; label: string; description: string }[] = [
  { value: "owner", label: "Owner", description: "Everything, owners included" },
  { value: "admin", label: "Admin", description: "Everything but owners" },
  {
    value: "member",
    label: "Member",
    description: "Agents, calls and campaigns; no members, keys and settings",
  },
  { value: "viewer", label: "Viewer", description: "Sees everything and changes nothing" },
];

/** Roles that somebody with this role may give. */
export function rolesBelow(own: string | undefined): typeof roles {
  return own === "owner" ? roles : roles.filter(({ value }) => value !== "owner");
}
