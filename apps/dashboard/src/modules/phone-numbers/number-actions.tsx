import { ActionIcon, Button, Group, Menu, Text } from "@mantine/core";
import type { PhoneNumber } from "@parley/client";

import Ellipsis from "lucide-react/icons/ellipsis";
import PhoneOutgoing from "lucide-react/icons/phone-outgoing";
import Trash from "lucide-react/icons/trash-2";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { BindDialog } from "./bind-dialog.tsx";
import { TestCallDialog } from "./test-call-dialog.tsx";
import { useReload } from "./use-reload.ts";

type DialogName = "bind" | "call" | "unbind" | "delete";

/** What can be done with a number: while no agent answers it, it is bound or deleted. */
export function NumberActions({ number }: { number: PhoneNumber }) {
  const [opened, setOpened] = useState<DialogName>();
  // A dialog that ends late does not close the one that was opened meanwhile.
  const close = (name: DialogName) => (): void => setOpened((now) => (now === name ? undefined : now));
  const { agentId, e164 } = number;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {agentId === null ? (
        <>
          <Button size="xs" variant="default" aria-label={`Bind ${e164}`} onClick={() => setOpened("bind")}>
            Bind
          </Button>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Delete ${e164}`}
            title="Delete"
            onClick={() => setOpened("delete")}
          >
            <Trash size={16} aria-hidden />
          </ActionIcon>
        </>
      ) : (
        <>
          <ActionIcon
            variant="light"
            size="lg"
            aria-label={`Place a test call from ${e164}`}
            title="Place a test call"
            onClick={() => setOpened("call")}
          >
            <PhoneOutgoing size={16} aria-hidden />
          </ActionIcon>
          <NumberMenu e164={e164} onOpen={setOpened} />
        </>
      )}
      {opened === "bind" && <BindDialog number={number} onClose={close("bind")} />}
      {opened === "call" && agentId !== null && (
        <TestCallDialog number={number} agentId={agentId} onClose={close("call")} />
      )}
      {agentId !== null && (
        <UnbindDialog
          number={number}
          agentId={agentId}
          isOpen={opened === "unbind"}
          onClose={close("unbind")}
        />
      )}
      <DeleteDialog number={number} isOpen={opened === "delete"} onClose={close("delete")} />
    </Group>
  );
}

function NumberMenu({ e164, onOpen }: { e164: string; onOpen: (name: DialogName) => void }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Actions for ${e164}`}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen("bind")}>Change the agent or environment</Menu.Item>
        <Menu.Item onClick={() => onOpen("unbind")}>Unbind</Menu.Item>
        <Menu.Item color="red" onClick={() => onOpen("delete")}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface NumberDialogProps {
  number: PhoneNumber;
  isOpen: boolean;
  onClose: () => void;
}

function UnbindDialog({
  number: { id, e164 },
  agentId,
  isOpen,
  onClose,
}: NumberDialogProps & { agentId: string }) {
  const parley = useParley();
  const reload = useReload();
  const unbind = async (): Promise<void> => {
    await parley.updatePhoneNumber(agentId, id, { agentId: null });
    toast.done(`${e164} is bound to no agent.`);
    await reload();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Unbind ${e164}?`}
      confirm="Unbind"
      onConfirm={unbind}
    >
      <Text>Calls to it are rejected until it is bound to an agent again.</Text>
    </ConfirmDialog>
  );
}

function DeleteDialog({ number: { id, e164, agentId }, isOpen, onClose }: NumberDialogProps) {
  const parley = useParley();
  const reload = useReload();
  const remove = async (): Promise<void> => {
    if (agentId === null) await parley.deleteUnboundPhoneNumber(id);
    else await parley.deletePhoneNumber(agentId, id);
    toast.done(`${e164} is deleted.`);
    await reload();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${e164}?`}
      confirm="Delete"
      onConfirm={remove}
    >
      <Text>Calls to it are rejected. Its calls are kept. At the carrier the number stays yours.</Text>
    </ConfirmDialog>
  );
}
