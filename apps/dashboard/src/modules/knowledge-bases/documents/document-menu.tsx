import { ActionIcon, Menu } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import Ellipsis from "lucide-react/icons/ellipsis";

export interface DocumentChange {
  kind: "rename" | "delete";
  document: KnowledgeDocument;
}

interface DocumentMenuProps {
  document: KnowledgeDocument;
  onChoose: (change: DocumentChange) => void;
}

/** What can be done with a document. */
export function DocumentMenu({ document, onChoose }: DocumentMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${document.name}`}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose({ kind: "rename", document })}>Rename</Menu.Item>
        <Menu.Item color="red" onClick={() => onChoose({ kind: "delete", document })}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
