import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { toast } from "../../ui/toast.ts";
import { agentQuery } from "./agents.queries.ts";

const route = getRouteApi("/shell/in/agents/$agentId");

export function AgentPage() {
  const { agentId } = route.useParams();
  const agent = useQuery(agentQuery(useParley(), agentId));
  return <Loaded query={agent}>{(loaded) => <AgentDetail agent={loaded} />}</Loaded>;
}

function AgentDetail({ agent }: { agent: Agent }) {
  const parley = useParley();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const deleteAgent = async (): Promise<void> => {
    await parley.deleteAgent(agent.id);
    toast.done(`${agent.name} is deleted.`);
    await navigate({ to: "/agents" });
  };
  return (
    <>
      <PageHeader
        title={agent.name}
        beside={<Badge variant="light">{agent.status}</Badge>}
        description={`Changed ${formatDateTime(agent.updatedAt)}`}
        actions={
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        }
      />
      <Card withBorder padding="lg">
        <Stack gap="xs">
          <Text fw={600}>Prompt</Text>
          <Text style={{ whiteSpace: "pre-wrap" }}>{agent.promptTemplate}</Text>
          <Group />
        </Stack>
      </Card>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${agent.name}?`}
        confirm="Delete"
        onConfirm={deleteAgent}
      >
        Its phone numbers stay, and are answered by no agent. Calls and versions are kept.
      </ConfirmDialog>
    </>
  );
}
