import { Modal, Stack, TextInput } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FormFooter } from "../../../ui/form-footer.tsx";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";

interface DialogProps {
  /** `undefined`: the dialog is closed. */
  document: KnowledgeDocument | undefined;
  onClose: () => void;
}

export function RenameDocumentDialog({ document, onClose }: DialogProps) {
  return (
    <Modal opened={document !== undefined} onClose={onClose} title="Rename the document" centered>
      {document !== undefined && <RenameForm document={document} onClose={onClose} />}
    </Modal>
  );
}

function RenameForm({ document, onClose }: { document: KnowledgeDocument; onClose: () => void }) {
  const { id, knowledgeBaseId } = document;
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<{ name: string }, KnowledgeDocument>({
    initialValues: { name: document.name },
    validate: ({ name }) => ({ name: name.trim() === "" ? "is required" : undefined }),
    save: async (values) => await parley.updateKnowledgeDocument(knowledgeBaseId, id, values),
    onSaved: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["knowledge-bases", knowledgeBaseId] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          description="Agents and transcripts name it as the source of an answer."
          data-autofocus
          data-path="name"
          required
          maxLength={200}
          {...form.getInputProps("name")}
        />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface DeleteDocumentDialogProps extends DialogProps {
  onDeleted?: () => Promise<void>;
}

export function DeleteDocumentDialog({ document, onClose, onDeleted }: DeleteDocumentDialogProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (document === undefined) return;
    await parley.deleteKnowledgeDocument(document.knowledgeBaseId, document.id);
    await onDeleted?.();
    await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    toast.done(`The document ${document.name} is deleted.`);
  };
  return (
    <ConfirmDialog
      isOpen={document !== undefined}
      onClose={onClose}
      title={`Delete the document ${document?.name ?? ""}?`}
      confirm="Delete"
      onConfirm={remove}
    >
      Agents no longer answer from it, from the next question on. Transcripts keep the passages that were
      used.
    </ConfirmDialog>
  );
}
