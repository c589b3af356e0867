import { ActionIcon, Menu } from "@mantine/core";
import type { Voice } from "@parley/client";
import Ellipsis from "lucide-react/icons/ellipsis";

export interface VoiceChange {
  kind: "rename" | "delete";
  voice: Voice;
}

/** What can be done with a voice of the organization. */
export function VoiceMenu({ voice, onChoose }: { voice: Voice; onChoose: (change: VoiceChange) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${voice.displayName}`}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose({ kind: "rename", voice })}>Rename</Menu.Item>
        <Menu.Item color="red" onClick={() => onChoose({ kind: "delete", voice })}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
