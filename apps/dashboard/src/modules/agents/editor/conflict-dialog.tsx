import { Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { changedNames } from "../../../ui/field-table.rules.ts";
import { formatDateTime } from "../../../ui/format.ts";
import { Loaded } from "../../../ui/loading.tsx";
import { labelOf } from "../../../ui/schema-field.rules.ts";
import { agentFields } from "../agent-fields.at-build.ts";

const names = Object.keys(agentFields);

interface ConflictDialogProps {
  isOpen: boolean;
  agentId: string;
  /** The state that this page has loaded. */
  base: Agent;
  /** Fields changed on this page. */
  mine: readonly string[];
  onClose: () => void;
  onDiscard: (theirs: Agent) => void;
  onKeep: (theirs: Agent) => void;
}

/** Shows what somebody else has saved meanwhile, and asks whose changes are kept. */
export function ConflictDialog({
  isOpen,
  agentId,
  base,
  mine,
  onClose,
  onDiscard,
  onKeep,
}: ConflictDialogProps) {
  const parley = useParley();
  const theirs = useQuery({
    queryKey: ["agents", agentId, "conflict", base.updatedAt],
    queryFn: async ({ signal }) => await parley.getAgent(agentId, { signal }),
    enabled: isOpen,
    gcTime: 0,
  });
  const answer = (decide: (theirs: Agent) => void, now: Agent): void => {
    onClose();
    decide(now);
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="Somebody else has changed this agent" centered size="lg">
      <Loaded query={theirs}>
        {(now) => {
          const changed = changedNames(names, { ...base }, { ...now });
          const both = changed.filter((name) => mine.includes(name));
          return (
            <Stack>
              <Text>
                It was saved on {formatDateTime(now.updatedAt)}, after you opened it. Nothing of yours is
                saved yet.
              </Text>
              <List size="sm">
                <List.Item>Changed by them: {listOf(changed)}</List.Item>
                <List.Item>Changed by you: {listOf(mine)}</List.Item>
                {both.length > 0 && (
                  <List.Item>
                    <strong>Changed by both: {listOf(both)}. Saving yours replaces theirs.</strong>
                  </List.Item>
                )}
              </List>
              <Group justify="flex-end">
                <Button variant="default" onClick={() => answer(onDiscard, now)}>
                  Discard mine
                </Button>
                <Button onClick={() => answer(onKeep, now)} data-autofocus>
                  Add mine to theirs
                </Button>
              </Group>
            </Stack>
          );
        }}
      </Loaded>
    </Modal>
  );
}

const listOf = (fields: readonly string[]): string =>
  fields.map((name) => labelOf(name)).join(", ") || "nothing";
