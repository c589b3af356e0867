import { Modal, NativeSelect, Stack } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { foldersQuery } from "./agents.queries.ts";

/** Moves an agent into a folder, or out of one. */
export function MoveDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const folders = useQuery(foldersQuery(parley));
  const [folderId, setFolderId] = useState(agent.folderId ?? "");
  const move = useMutation({
    mutationFn: async () =>
      await parley.updateAgent(agent.id, { folderId: folderId === "" ? null : folderId }),
    onSuccess: async ({ folder }) => {
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      toast.done(folder === null ? `${agent.name} is in no folder.` : `${agent.name} is in ${folder.name}.`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    move.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={`Move ${agent.name}`}>
      <form onSubmit={submit}>
        <Stack>
          <Loaded query={folders}>
            {(list) => (
              <NativeSelect
                label="Folder"
                description={
                  list.length === 0 ? "There is none yet: add one on the list of agents." : undefined
                }
                data={[
                  { value: "", label: "No folder" },
                  ...list.map(({ id, name }) => ({ value: id, label: name })),
                ]}
                value={folderId}
                onChange={({ currentTarget }) => setFolderId(currentTarget.value)}
              />
            )}
          </Loaded>
          <FormFooter
            problem={move.error ?? undefined}
            isSaving={move.isPending}
            onCancel={onClose}
            action="Move"
            isReady={folderId !== (agent.folderId ?? "")}
          />
        </Stack>
      </form>
    </Modal>
  );
}
