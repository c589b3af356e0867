import { ActionIcon, Menu } from "@mantine/core";
import type { KnowledgeBase } from "@parley/client";
import Ellipsis from "lucide-react/icons/ellipsis";

export interface BaseChange {
  kind: "edit" | "delete";
  base: KnowledgeBase;
}

/** What can be done with a knowledge base. */
export function BaseMenu({
  base,
  onChoose,
}: {
  base: KnowledgeBase;
  onChoose: (change: BaseChange) => void;
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${base.name}`}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose({ kind: "edit", base })}>Rename</Menu.Item>
        <Menu.Item color="red" onClick={() => onChoose({ kind: "delete", base })}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
