import type { Parley } from "@parley/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { EditableContext } from "../../ui/editable.ts";
import { requiredRoles, rolesIncluding } from "./roles.at-build.ts";
import { Text } from "@mantine/core";
import { useIdentity, useParley } from "./session.tsx";
import "./allowed.css";

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

interface EditableProps {
  operation: WriteOperation;
  /** What the fields belong to, for example "this agent". */
  what: string;
  children: ReactNode;
}

/** Fields of a form, which can only be read unless the API allows the operation to the role that is signed in. */
export function Editable({ operation, what, children }: EditableProps) {
  const role = useRole();
  const isAllowed = useMay()(operation);
  return (
    <fieldset className="editable" disabled={!isAllowed}>
      {role !== undefined && !isAllowed && (
        <Text c="dimmed" size="sm" mb="md">
          Your role may read {what}, not change it.
        </Text>
      )}
      <EditableContext value={isAllowed}>{children}</EditableContext>
    </fieldset>
  );
}

/** Shows its children, such as a button, if the API allows the operation to the role that is signed in. */
export function Allowed({ operation, children }: { operation: WriteOperation; children: ReactNode }) {
  return useMay()(operation) ? children : null;
}
