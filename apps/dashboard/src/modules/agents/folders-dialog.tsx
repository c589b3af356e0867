import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { Folder } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Trash from "lucide-react/icons/trash-2";
import { type FormEvent, useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { foldersQuery } from "./agents.queries.ts";

const MAX_NAME_CHARACTERS = 128;

/** The folders of agents: make, rename, delete. */
export function FoldersDialog({ onClose }: { onClose: () => void }) {
  const folders = useQuery(foldersQuery(useParley()));
  return (
    <Modal opened onClose={onClose} title="Folders">
      <Stack>
        <Text size="sm" c="dimmed">
          Folders group agents in the list. An agent is moved by its menu “Actions”.
        </Text>
        <Loaded query={folders}>
          {(list) => (
            <Stack gap="xs">
              {list.map((folder) => (
                <FolderRow key={folder.id} folder={folder} />
              ))}
            </Stack>
          )}
        </Loaded>
        <NewFolder />
      </Stack>
    </Modal>
  );
}

/** Invalidates the lists in which folders appear, agents included. */
function useReload(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ["folders"] }),
      queryClient.invalidateQueries({ queryKey: ["agents"] }),
    ]);
  };
}

function FolderRow({ folder: { id, name } }: { folder: Folder }) {
  const parley = useParley();
  const reload = useReload();
  const [text, setText] = useState(name);
  const [isDeleting, setDeleting] = useState(false);
  const rename = useMutation({
    mutationFn: async () => await parley.updateFolder(id, { name: text.trim() }),
    onSuccess: reload,
  });
  const remove = async (): Promise<void> => {
    await parley.deleteFolder(id);
    await reload();
    toast.done(`${name} is deleted.`);
  };
  const isChanged = text.trim() !== "" && text.trim() !== name;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) rename.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label={`Name of the folder ${name}`}
          maxLength={MAX_NAME_CHARACTERS}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isChanged && (
          <Button type="submit" loading={rename.isPending}>
            Rename
          </Button>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Delete the folder ${name}`}
          onClick={() => setDeleting(true)}
        >
          <Trash size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {rename.error !== null && <Problem error={rename.error} />}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the folder ${name}?`}
        confirm="Delete"
        onConfirm={remove}
      >
        Its agents are kept, in no folder.
      </ConfirmDialog>
    </form>
  );
}

function NewFolder() {
  const parley = useParley();
  const reload = useReload();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: async () => await parley.createFolder({ name: name.trim() }),
    onSuccess: async () => {
      setName("");
      await reload();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          flex={1}
          label="New folder"
          placeholder="Sales"
          maxLength={MAX_NAME_CHARACTERS}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={name.trim() === ""} loading={create.isPending}>
          Add
        </Button>
      </Group>
      {create.error !== null && <Problem error={create.error} />}
    </form>
  );
}
