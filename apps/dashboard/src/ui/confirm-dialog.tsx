import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";

interface ConfirmDialogProps {
  isOpen: boolean;
  onClose: () => void;
  /** A question, such as "Delete the agent Reception?" */
  title: string;
  /** What follows from it. */
  children: ReactNode;
  /** Verb of the button, such as "Delete". */
  confirm: string;
  /** Text of the other button. Default: "Cancel". */
  dismiss?: string;
  /** The dialog stays open, and shows why, if this fails. */
  onConfirm: () => Promise<unknown>;
  isDangerous?: boolean;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, children, confirm, dismiss = "Cancel", onConfirm } = props;
  const { isDangerous = true } = props;
  const action = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = (): void => {
    action.reset();
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} centered>
      <Stack>
        <div>{children}</div>
        {action.error !== null && <Problem error={action.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {dismiss}
          </Button>
          <Button
            {...(isDangerous && { color: "red" })}
            loading={action.isPending}
            onClick={() => action.mutate()}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
