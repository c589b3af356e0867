import { Stack, Text } from "@mantine/core";
import { TextLink } from "../../ui/links.tsx";
import type { BaseUser } from "./knowledge-bases.queries.ts";

/** Agents that are named. */
const MAX_USERS = 3;

interface BaseUsersProps {
  /** By the id of the base; `undefined` while they load. */
  users: ReadonlyMap<string, readonly BaseUser[]> | undefined;
  baseId: string;
}

/** The agents that answer from a base. */
export function BaseUsers({ users, baseId }: BaseUsersProps) {
  if (users === undefined) return null;
  const own = users.get(baseId) ?? [];
  const others = own.length - MAX_USERS;
  return (
    <Stack gap={0}>
      {own.length === 0 && (
        <Text size="sm" c="dimmed">
          no agent
        </Text>
      )}
      {own.slice(0, MAX_USERS).map(({ id, name }) => (
        <TextLink key={id} to="/agents/$agentId" params={{ agentId: id }} size="sm">
          {name}
        </TextLink>
      ))}
      {others > 0 && (
        <Text size="xs" c="dimmed">
          and {others} more
        </Text>
      )}
    </Stack>
  );
}
