import { Group, Input, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { valueOf } from "../../../ui/field-table.rules.ts";
import { AddButton, RemoveButton } from "../../../ui/list-buttons.tsx";
import { explain, labelOf } from "../../../ui/schema-field.rules.ts";

interface KeyValueListProps {
  form: UseFormReturnType<Record<string, unknown>>;
  path: string;
  description: string | undefined;
}

/** A list of names with values, in which a name may occur more than once. */
export function KeyValueList({ form, path, description }: KeyValueListProps) {
  const list = valueOf(form.getValues(), path);
  const count = Array.isArray(list) ? list.length : 0;
  const name = labelOf(path);
  return (
    <Input.Wrapper
      label={name}
      labelElement="div"
      description={explain(description)}
      error={form.errors[path]}
      role="group"
      aria-label={name}
    >
      <Stack gap="xs" mt={6}>
        {Array.from({ length: count }, (_, index) => (
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`Name ${index + 1} of ${name}`}
              placeholder="name"
              flex={1}
              {...form.getInputProps(`${path}.${index}.key`)}
            />
            <TextInput
              aria-label={`Value ${index + 1} of ${name}`}
              placeholder="value"
              flex={2}
              {...form.getInputProps(`${path}.${index}.value`)}
            />
            <RemoveButton what={`${index + 1} of ${name}`} onClick={() => form.removeListItem(path, index)} />
          </Group>
        ))}
        <AddButton
          onClick={() => form.insertListItem(path, { key: "", value: "" } as never)}
        >{`Add to ${name.toLowerCase()}`}</AddButton>
      </Stack>
    </Input.Wrapper>
  );
}
