import { Button, Menu, Text } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import Copy from "lucide-react/icons/copy";
import Download from "lucide-react/icons/download";
import FolderInput from "lucide-react/icons/folder-input";
import Trash from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { downloadJson } from "../../ui/download.ts";
import { toast } from "../../ui/toast.ts";
import { MoveDialog } from "./move-dialog.tsx";

const MAX_NAME_CHARACTERS = 128;
const COPY_SUFFIX = " (copy)";

/** What can be done with an agent as a whole: copy, move, export, delete. */
export function AgentActions({ agent }: { agent: Agent }) {
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const deleteAgent = async (): Promise<void> => {
    await parley.deleteAgent(agent.id);
    toast.done(`${agent.name} is deleted.`);
    await navigate({ to: "/agents" });
    await queryClient.invalidateQueries({ queryKey: ["agents"] });
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItems agent={agent} onMove={() => setMoving(true)} onDelete={() => setDeleting(true)} />
        </Menu.Dropdown>
      </Menu>
      {isMoving && <MoveDialog agent={agent} onClose={() => setMoving(false)} />}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${agent.name}?`}
        confirm="Delete"
        onConfirm={deleteAgent}
      >
        <Text>Its phone numbers stay, and are answered by no agent. Calls and versions are kept.</Text>
      </ConfirmDialog>
    </>
  );
}

interface ActionItemsProps {
  agent: Agent;
  onMove: () => void;
  onDelete: () => void;
}

function ActionItems({ agent, onMove, onDelete }: ActionItemsProps) {
  const duplicate = useDuplicate(agent);
  return (
    <>
      <Allowed operation="createAgent">
        <Menu.Item leftSection={<Copy size={16} aria-hidden />} onClick={() => duplicate.mutate()}>
          Duplicate
        </Menu.Item>
      </Allowed>
      <Allowed operation="updateAgent">
        <Menu.Item leftSection={<FolderInput size={16} aria-hidden />} onClick={onMove}>
          Move to a folder
        </Menu.Item>
      </Allowed>
      <Menu.Item
        leftSection={<Download size={16} aria-hidden />}
        onClick={() => downloadJson(`${agent.name}.agent.json`, agent)}
      >
        Export as JSON
      </Menu.Item>
      <Allowed operation="deleteAgent">
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<Trash size={16} aria-hidden />} onClick={onDelete}>
          Delete
        </Menu.Item>
      </Allowed>
    </>
  );
}

function useDuplicate(agent: Agent) {
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const name = `${agent.name.slice(0, MAX_NAME_CHARACTERS - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
      return await parley.createAgent({ ...agent, name });
    },
    onSuccess: async ({ id, name }) => {
      toast.done(`${name} is created. Phone numbers and environments stay with the original.`);
      await navigate({ to: "/agents/$agentId", params: { agentId: id } });
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
    },
    onError: (error) => toast.failed(error),
  });
}
