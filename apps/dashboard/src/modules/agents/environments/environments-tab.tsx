import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import type { Environment } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { toast } from "../../../ui/toast.ts";
import { environmentsQuery } from "../agents.queries.ts";
import { EnvironmentForm } from "./environment-form.tsx";

const route = getRouteApi("/shell/in/agents/$agentId");

/** The targets that the agent's calls run in, each with a version and variables of its own. */
export function EnvironmentsTab() {
  const { agentId } = route.useParams();
  const environments = useQuery(environmentsQuery(useParley(), agentId));
  const [edited, setEdited] = useState<Environment | "new">();
  return (
    <Loaded query={environments}>
      {(list) => (
        <Stack>
          <Group justify="space-between">
            <Text c="dimmed" maw={640}>
              An environment runs one version of the agent with variables of its own. Phone numbers are bound
              to one; production is what callers reach by default.
            </Text>
            <Allowed operation="putEnvironment">
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited("new")}>
                Add an environment
              </Button>
            </Allowed>
          </Group>
          {list.map((environment) => (
            <EnvironmentCard
              key={environment.name}
              agentId={agentId}
              environment={environment}
              onEdit={() => setEdited(environment)}
            />
          ))}
          {edited !== undefined && (
            <EnvironmentForm
              agentId={agentId}
              environment={edited === "new" ? undefined : edited}
              onClose={() => setEdited(undefined)}
            />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

interface EnvironmentCardProps {
  agentId: string;
  environment: Environment;
  onEdit: () => void;
}

function EnvironmentCard({ agentId, environment, onEdit }: EnvironmentCardProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const { name, revision, variables, builtin, phoneNumbers } = environment;
  const remove = async (): Promise<void> => {
    await parley.deleteEnvironment(agentId, name);
    await queryClient.invalidateQueries({ queryKey: ["agents", agentId] });
    toast.done(`${name} is deleted.`);
  };
  return (
    <Card withBorder component="article" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            <Badge variant="light" color={revision === null ? "gray" : "house"}>
              {revision === null ? "draft" : `revision ${revision}`}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            {phoneNumbers.length === 0 ? "No phone numbers" : phoneNumbers.join(", ")} ·{" "}
            {countOf(Object.keys(variables).length, "variable")}
          </Text>
        </Stack>
        {builtin ? (
          <Text size="sm" c="dimmed">
            Changes by publishing.
          </Text>
        ) : (
          <EnvironmentButtons name={name} onEdit={onEdit} onDelete={() => setDeleting(true)} />
        )}
      </Group>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        confirm="Delete"
        onConfirm={remove}
      >
        <Text>A widget bound to it then runs production. Phone numbers must be bound elsewhere first.</Text>
      </ConfirmDialog>
    </Card>
  );
}

interface EnvironmentButtonsProps {
  name: string;
  onEdit: () => void;
  onDelete: () => void;
}

function EnvironmentButtons({ name, onEdit, onDelete }: EnvironmentButtonsProps) {
  return (
    <Group gap="xs">
      <Allowed operation="putEnvironment">
        <Button variant="default" size="xs" onClick={onEdit} aria-label={`Edit ${name}`}>
          Edit
        </Button>
      </Allowed>
      <Allowed operation="deleteEnvironment">
        <Button variant="subtle" color="red" size="xs" onClick={onDelete} aria-label={`Delete ${name}`}>
          Delete
        </Button>
      </Allowed>
    </Group>
  );
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
