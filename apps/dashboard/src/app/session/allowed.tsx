import type { Parley } from "@parley/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { requiredRoles, rolesIncluding } from "./roles.at-build.ts";
import { useIdentity, useParley } from "./session.tsx";

/** An operation of the API that writes. */
export type WriteOperation = Extract<keyof Parley, string>;

/** Role of the user or key that is signed in; `undefined` while it loads. */
export function useRole(): string | undefined {
  const identity = useIdentity();
  const parley = useParley();
  const { data: access } = useQuery(
    queryOptions({
      queryKey: ["access"],
      queryFn: async ({ signal }) => await parley.getAccess({ signal }),
      enabled: identity === undefined,
      staleTime: Infinity,
    }),
  );
  return identity === undefined ? access?.role : (identity.role ?? undefined);
}

/** Whether the API allows an operation that writes to the role that is signed in, by the roles of the contract. */
export function useMay(): (operation: WriteOperation) => boolean {
  const role = useRole();
  return (operation) =>
    role !== undefined && rolesIncluding[requiredRoles[operation] ?? "member"]?.includes(role) === true;
}

/** Shows its children, such as a button, if the API allows the operation to the role that is signed in. */
export function Allowed({ operation, children }: { operation: WriteOperation; children: ReactNode }) {
  return useMay()(operation) ? children : null;
}
