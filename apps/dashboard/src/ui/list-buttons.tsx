import { ActionIcon, Button } from "@mantine/core";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";

interface RemoveButtonProps {
  /** What is removed, as in "line 2". */
  what: string;
  isDisabled?: boolean;
  onClick: () => void;
}

/** Removes an entry of a list in a form. */
export function RemoveButton({ what, isDisabled = false, onClick }: RemoveButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      disabled={isDisabled}
      aria-label={`Remove ${what}`}
      onClick={onClick}
    >
      <Trash size={16} aria-hidden />
    </ActionIcon>
  );
}

interface AddButtonProps {
  children: string;
  /** Path in a form of the list, for its errors. */
  path?: string | undefined;
  isDisabled?: boolean;
  onClick: () => void;
}

/** Adds an entry to a list in a form. */
export function AddButton({ children, path, isDisabled = false, onClick }: AddButtonProps) {
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        data-path={path}
        disabled={isDisabled}
        onClick={onClick}
      >
        {children}
      </Button>
    </div>
  );
}
