import { Button, Group } from "@mantine/core";
import { Problem } from "./problem.tsx";

interface FormFooterProps {
  /** What went wrong apart from single fields. */
  problem: Error | undefined;
  isSaving: boolean;
  onCancel: () => void;
  /** Verb of the button. Default: "Save". */
  action?: string;
  isReady?: boolean;
}

/** End of a form in a dialog: what went wrong, and the buttons. */
export function FormFooter(props: FormFooterProps) {
  const { problem, isSaving, onCancel, action = "Save", isReady = true } = props;
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isSaving} disabled={!isReady}>
          {action}
        </Button>
      </Group>
    </>
  );
}
