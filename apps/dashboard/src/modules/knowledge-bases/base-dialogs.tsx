import { Modal } from "@mantine/core";
import type { KnowledgeBase } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { BaseForm } from "./base-form.tsx";
import { count } from "./document-words.ts";
import type { BaseUser } from "./knowledge-bases.queries.ts";

interface DialogProps {
  /** `undefined`: the dialog is closed. */
  base: KnowledgeBase | undefined;
  onClose: () => void;
}

export function EditBaseDialog({ base, onClose }: DialogProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  return (
    <Modal opened={base !== undefined} onClose={onClose} title="Rename the knowledge base" centered>
      {base !== undefined && (
        <BaseForm
          base={base}
          onCancel={onClose}
          save={async (values) => await parley.updateKnowledgeBase(base.id, values)}
          onSaved={async () => {
            onClose();
            await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
          }}
        />
      )}
    </Modal>
  );
}

interface DeleteBaseDialogProps extends DialogProps {
  users: readonly BaseUser[];
  onDeleted?: () => Promise<void>;
}

export function DeleteBaseDialog({ base, users, onClose, onDeleted }: DeleteBaseDialogProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (base === undefined) return;
    await parley.deleteKnowledgeBase(base.id);
    await onDeleted?.();
    await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    await queryClient.invalidateQueries({ queryKey: ["agents"] });
    toast.done(`The knowledge base ${base.name} is deleted.`);
  };
  return (
    <ConfirmDialog
      isOpen={base !== undefined}
      onClose={onClose}
      title={`Delete the knowledge base ${base?.name ?? ""}?`}
      confirm="Delete"
      onConfirm={remove}
    >
      {count(base?.documents ?? 0, "document")} will be deleted too.{" "}
      {users.length === 0
        ? "No agent uses this knowledge base."
        : `These agents will no longer answer from it: ${users.map(({ name }) => name).join(", ")}.`}
    </ConfirmDialog>
  );
}
