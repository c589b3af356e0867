import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { BaseForm } from "./base-form.tsx";

/** Makes an empty knowledge base and opens it. */
export function CreateBaseDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <Modal opened={isOpen} onClose={onClose} title="New knowledge base" centered>
      <BaseForm
        action="Create"
        onCancel={onClose}
        save={async (values) => await parley.createKnowledgeBase(values)}
        onSaved={async ({ id }) => {
          onClose();
          await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
          await navigate({ to: "/knowledge-bases/$baseId", params: { baseId: id } });
        }}
      />
    </Modal>
  );
}
