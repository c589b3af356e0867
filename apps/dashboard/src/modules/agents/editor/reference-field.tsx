import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import type { FieldDescription } from "../../../ui/field-table.rules.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { foldersQuery, trunkNamesQuery } from "../agents.queries.ts";

const labels = { sipTrunkId: "SIP trunk", folderId: "Folder" } as const;

interface ReferenceFieldProps {
  form: UseFormReturnType<Record<string, unknown>>;
  name: keyof typeof labels;
  description: FieldDescription;
}

/** Choice of another thing of the organization by its name. */
export function ReferenceField({ form, name, description }: ReferenceFieldProps) {
  const parley = useParley();
  const trunks = useQuery({ ...trunkNamesQuery(parley), enabled: name === "sipTrunkId" });
  const folders = useQuery({ ...foldersQuery(parley), enabled: name === "folderId" });
  const choices =
    name === "sipTrunkId"
      ? trunks.data?.map(({ id, friendlyName }) => ({ value: id, label: friendlyName }))
      : folders.data?.map(({ id, name: label }) => ({ value: id, label }));
  const { value, error } = form.getInputProps(name) as { value: string | null; error?: string };
  return (
    <Select
      label={labels[name]}
      description={explain(description.schema?.description)}
      error={error ?? trunks.error?.message ?? folders.error?.message}
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
