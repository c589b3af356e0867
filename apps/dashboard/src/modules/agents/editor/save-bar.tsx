import { Button, Group, Paper, Text } from "@mantine/core";
import { labelOf } from "../../../ui/schema-field.rules.ts";
import "./save-bar.css";

const MAX_NAMED = 3;

interface SaveBarProps {
  changedFields: readonly string[];
  isSaving: boolean;
  onDiscard: () => void;
}

/** Says what is not saved yet, at the lower edge of the screen. Absent while nothing has changed. */
export function SaveBar({ changedFields, isSaving, onDiscard }: SaveBarProps) {
  if (changedFields.length === 0) return null;
  return (
    <Paper className="save-bar" withBorder shadow="md" p="sm" role="region" aria-label="Unsaved changes">
      <Group justify="space-between" wrap="wrap" gap="xs">
        <Text size="sm">
          Not saved: <strong>{describe(changedFields)}</strong>
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={onDiscard} disabled={isSaving}>
            Discard
          </Button>
          <Button type="submit" loading={isSaving}>
            Save
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}

function describe(fields: readonly string[]): string {
  const named = fields.slice(0, MAX_NAMED).map((name) => labelOf(name));
  const more = fields.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}
