import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import type { FieldDescription } from "../../../ui/field-table.rules.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { choicesQuery, type ReferenceName } from "../agents.queries.ts";

const labels: Readonly<Record<ReferenceName, string>> = {
  sipTrunkId: "SIP trunk",
  folderId: "Folder",
  messagingConnectionId: "Messaging connection",
};

interface ReferenceFieldProps {
  form: UseFormReturnType<Record<string, unknown>>;
  name: ReferenceName;
  description: FieldDescription;
}

/** Choice of another thing of the organization by its name. */
export function ReferenceField({ form, name, description }: ReferenceFieldProps) {
  const parley = useParley();
  const { data: choices, error: problem } = useQuery(choicesQuery(parley, name));
  const { value, error } = form.getInputProps(name) as { value: string | null; error?: string };
  return (
    <Select
      label={labels[name]}
      description={explain(description.schema?.description)}
      error={error ?? problem?.message}
      placeholder="None"
      clearable
      searchable
      data={choices ?? []}
      value={choices === undefined ? null : value}
      onChange={(id) => form.setFieldValue(name, id)}
      data-path={name}
    />
  );
}
