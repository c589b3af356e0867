import { Modal, Stack, TextInput } from "@mantine/core";
import type { Voice } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import type { VoiceUser } from "./voices.queries.ts";

interface DialogProps {
  /** `undefined`: the dialog is closed. */
  voice: Voice | undefined;
  onClose: () => void;
}

export function RenameVoiceDialog({ voice, onClose }: DialogProps) {
  return (
    <Modal opened={voice !== undefined} onClose={onClose} title="Rename the voice" centered>
      {voice !== undefined && <RenameForm voice={voice} onClose={onClose} />}
    </Modal>
  );
}

function RenameForm({ voice, onClose }: { voice: Voice; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<{ displayName: string }, Voice>({
    initialValues: { displayName: voice.displayName },
    validate: ({ displayName }) => ({ displayName: displayName.trim() === "" ? "is required" : undefined }),
    save: async (values) => await parley.updateVoice(voice.id, values),
    onSaved: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["voices"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          data-autofocus
          data-path="displayName"
          required
          {...form.getInputProps("displayName")}
        />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

export function DeleteVoiceDialog({ voice, users, onClose }: DialogProps & { users: readonly VoiceUser[] }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (voice === undefined) return;
    await parley.deleteVoice(voice.id);
    await queryClient.invalidateQueries({ queryKey: ["voices"] });
    toast.done(`The voice ${voice.displayName} is deleted.`);
  };
  return (
    <ConfirmDialog
      isOpen={voice !== undefined}
      onClose={onClose}
      title={`Delete the voice ${voice?.displayName ?? ""}?`}
      confirm="Delete"
      onConfirm={remove}
    >
      Its recording and the copy at the provider are deleted too.{" "}
      {users.length > 0 &&
        `${users.map(({ name }) => name).join(", ")} will speak with the fallback voice, or with the default one.`}
    </ConfirmDialog>
  );
}
