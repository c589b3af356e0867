import { Badge, Button, Card, Code, Group, Stack, Text } from "@mantine/core";
import type { CustomTool } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import Wrench from "lucide-react/icons/wrench";
import { useState } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { toast } from "../../../ui/toast.ts";
import { toolsQuery } from "../agents.queries.ts";
import { ToolForm } from "./tool-form.tsx";
import { ToolTest } from "./tool-test.tsx";

const route = getRouteApi("/shell/in/agents/$agentId");

/** The HTTP endpoints that the agent can call in a conversation. */
export function ToolsTab() {
  const { agentId } = route.useParams();
  const tools = useQuery(toolsQuery(useParley(), agentId));
  const [edited, setEdited] = useState<CustomTool | "new">();
  return (
    <Loaded query={tools}>
      {(list) => (
        <Stack>
          {list.length > 0 && (
            <Group justify="space-between">
              <Text c="dimmed">The language model decides when to call a tool, by its description.</Text>
              <AddButton onClick={() => setEdited("new")} />
            </Group>
          )}
          {list.length === 0 && (
            <Card withBorder>
              <EmptyState
                icon={Wrench}
                title="No tools yet"
                action={<AddButton onClick={() => setEdited("new")} />}
              >
                A tool is an address of your server that the agent can call during a conversation, for example
                to look up an order or to book an appointment.
              </EmptyState>
            </Card>
          )}
          {list.map((tool) => (
            <ToolCard key={tool.id} agentId={agentId} tool={tool} onEdit={() => setEdited(tool)} />
          ))}
          {edited !== undefined && (
            <ToolForm
              agentId={agentId}
              tool={edited === "new" ? undefined : edited}
              onClose={() => setEdited(undefined)}
            />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Allowed operation="createCustomTool">
      <Button onClick={onClick} leftSection={<Plus size={16} aria-hidden />}>
        Add a tool
      </Button>
    </Allowed>
  );
}

interface ToolCardProps {
  agentId: string;
  tool: CustomTool;
  onEdit: () => void;
}

function ToolCard({ agentId, tool, onEdit }: ToolCardProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [shown, setShown] = useState<"test" | "delete">();
  const remove = async (): Promise<void> => {
    await parley.deleteCustomTool(agentId, tool.id);
    await queryClient.invalidateQueries({ queryKey: ["agents"] });
    toast.done(`${tool.name} is deleted.`);
  };
  return (
    <Card withBorder component="article" aria-label={tool.name}>
      <Group justify="space-between" align="flex-start" wrap="wrap">
        <Stack gap={4} miw={0}>
          <Group gap="xs">
            <Text fw={600} ff="monospace">
              {tool.name}
            </Text>
            {!tool.enabled && (
              <Badge variant="light" color="gray">
                off
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            <Code>{tool.httpMethod}</Code> {tool.webhookUrl}
          </Text>
        </Stack>
        <ToolButtons
          name={tool.name}
          onTest={() => setShown("test")}
          onEdit={onEdit}
          onDelete={() => setShown("delete")}
        />
      </Group>
      {shown === "test" && <ToolTest agentId={agentId} tool={tool} onClose={() => setShown(undefined)} />}
      <ConfirmDialog
        isOpen={shown === "delete"}
        onClose={() => setShown(undefined)}
        title={`Delete ${tool.name}?`}
        confirm="Delete"
        onConfirm={remove}
      >
        <Text>
          The agent cannot call it any more. Restoring an earlier version of the agent brings it back.
        </Text>
      </ConfirmDialog>
    </Card>
  );
}

interface ToolButtonsProps {
  name: string;
  onTest: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function ToolButtons({ name, onTest, onEdit, onDelete }: ToolButtonsProps) {
  return (
    <Group gap="xs">
      <Allowed operation="testCustomTool">
        <Button variant="default" size="xs" onClick={onTest} aria-label={`Test ${name}`}>
          Test
        </Button>
      </Allowed>
      <Allowed operation="updateCustomTool">
        <Button variant="default" size="xs" onClick={onEdit} aria-label={`Edit ${name}`}>
          Edit
        </Button>
      </Allowed>
      <Allowed operation="deleteCustomTool">
        <Button variant="subtle" color="red" size="xs" onClick={onDelete} aria-label={`Delete ${name}`}>
          Delete
        </Button>
      </Allowed>
    </Group>
  );
}
