import { Button, Group } from "@mantine/core";
import { Problem } from "./problem.tsx";

interface FormFooterProps {
  /** What went wrong apart from single fields. */
  problem: Error | undefined;
  isSaving: boolean;
  onCancel: () => void;
}

/** End of a form in a dialog: what went wrong, and the buttons. */
export function FormFooter({ problem, isSaving, onCancel }: FormFooterProps) {
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isSaving}>
          Save
        </Button>
      </Group>
    </>
  );
}
